import { lazy, Suspense } from 'react';
import { Announcer } from './comfort/announcer.tsx';
import { useHelp } from './comfort/help-store.ts';
import { Shortcuts } from './comfort/shortcuts.ts';
import { Stage } from './episode/stage.tsx';
import { useGallery } from './gallery/store.ts';
import { Header } from './header.tsx';
import { useInspector } from './inspector/store.ts';
import {
  ErrorNotice,
  RecoveredNotice,
  ReplacedNotice,
  SkippedNotice,
  StorageNotice,
  WithoutGpu,
} from './notices.tsx';
import { Overview } from './overview.tsx';
import { usePlayWanted } from './play/wanted.ts';
import { useRunsPanel } from './runs-store.ts';
import { useStepThrough } from './step-through/store.ts';
import { useLab } from './store.ts';
import { useSettings } from './store-settings.ts';

// Charts and settings come in their own files: the stage is up before they have arrived.
const SuccessChart = lazy(async () => ({
  default: (await import('./charts/charts.tsx')).SuccessChart,
}));
const Charts = lazy(async () => ({ default: (await import('./charts/charts.tsx')).Charts }));
const Evaluation = lazy(async () => ({
  default: (await import('./evaluation/panel.tsx')).Evaluation,
}));
const Trajectories = lazy(async () => ({
  default: (await import('./trajectories/panel.tsx')).Trajectories,
}));
const Gallery = lazy(async () => ({ default: (await import('./gallery/gallery.tsx')).Gallery }));
const Inspector = lazy(async () => ({
  default: (await import('./inspector/panel.tsx')).InspectorPanel,
}));
const StepThrough = lazy(async () => ({
  default: (await import('./step-through/panel.tsx')).StepThrough,
}));
const PlayMode = lazy(async () => ({ default: (await import('./play/panel.tsx')).PlayMode }));
const HelpSheet = lazy(async () => ({
  default: (await import('./comfort/help.tsx')).HelpSheet,
}));
const Runs = lazy(async () => ({ default: (await import('./runs/panel.tsx')).Runs }));
const Settings = lazy(async () => ({ default: (await import('./settings.tsx')).Settings }));

export function App() {
  const withoutGpu = useLab((lab) => lab.withoutGpu);
  const galleryWanted = useGallery((gallery) => gallery.wanted);
  const playWanted = usePlayWanted((play) => play.wanted);
  const helpWanted = useHelp((help) => help.wanted);
  const runsWanted = useRunsPanel((panel) => panel.wanted);
  const settingsWanted = useSettings((settings) => settings.wanted);
  const inspected = useInspector(({ inspection }) => inspection !== null);
  const stepping = useStepThrough(({ open }) => open);
  return (
    <>
      <Header />
      <Announcer />
      <Shortcuts />
      <main id="run" tabIndex={-1} className={withoutGpu ? 'page page-without' : 'page'}>
        {withoutGpu ? <WithoutGpu /> : <Overview />}
        <ErrorNotice />
        <ReplacedNotice />
        <SkippedNotice />
        <RecoveredNotice />
        <StorageNotice />
        {playWanted ? (
          <Suspense fallback={<div className="card playmode" />}>
            <PlayMode />
          </Suspense>
        ) : null}
        <Stage />
        {withoutGpu ? null : (
          <>
            <Suspense fallback={<div className="card chart" />}>
              <SuccessChart />
            </Suspense>
            <Suspense>
              <Charts />
            </Suspense>
            <Suspense>
              <Evaluation />
            </Suspense>
          </>
        )}
        <Suspense>
          <Trajectories />
        </Suspense>
      </main>
      {galleryWanted ? (
        <Suspense>
          <Gallery />
        </Suspense>
      ) : null}
      {inspected ? (
        <Suspense>
          <Inspector />
        </Suspense>
      ) : null}
      {stepping ? (
        <Suspense>
          <StepThrough />
        </Suspense>
      ) : null}
      {helpWanted ? (
        <Suspense>
          <HelpSheet />
        </Suspense>
      ) : null}
      {runsWanted ? (
        <Suspense>
          <Runs />
        </Suspense>
      ) : null}
      {settingsWanted ? (
        <Suspense>
          <Settings />
        </Suspense>
      ) : null}
    </>
  );
}
