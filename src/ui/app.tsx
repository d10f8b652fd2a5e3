import { criticises } from '../config/recipes.ts';
import { Announcer } from './comfort/announcer.tsx';
import { useHelp } from './comfort/help-store.ts';
import { loadedLater } from './comfort/release.ts';
import { ReleaseNotice } from './comfort/release-notice.tsx';
import { Shortcuts } from './comfort/shortcuts.ts';
import { Stage } from './episode/stage.tsx';
import { useModeCard } from './findings/card-store.ts';
import { useGallery } from './gallery/store.ts';
import { Header } from './header/header.tsx';
import { useInspector } from './inspector/store.ts';
import { useKnobs } from './knobs/store.ts';
import { type LabState, useLab } from './lab/store.ts';
import { useLesson } from './lessons/store.ts';
import { useLogsPanel } from './logs/wanted.ts';
import { ErrorNotice, ReplacedNotice, SkippedNotice } from './notices/notices.tsx';
import { useLargeRun } from './overview/large-run.ts';
import { Overview } from './overview/overview.tsx';
import { useDepth } from './page/depth.ts';
import { Part } from './page/part.tsx';
import { usePlayWanted } from './play/wanted.ts';
import { usePrediction } from './predict/store.ts';
import { useReenactment } from './reenactment/state.ts';
import { useRunsPanel } from './runs/runs-store.ts';
import { useSettings } from './settings/store-settings.ts';
import { useStepThrough } from './step-through/store.ts';
import { useSweepPanel } from './sweeps/wanted.ts';
import { useGlossary, useTermCard } from './terms/store.ts';
import { useTwins } from './twins/state.ts';

const CannotTrain = loadedLater(
  async () => (await import('./notices/cannot-train.tsx')).CannotTrain,
);
const RunNotices = loadedLater(async () => (await import('./notices/run-notices.tsx')).RunNotices);
const LargeRunCard = loadedLater(
  async () => (await import('./overview/large-run-card.tsx')).LargeRunCard,
);
// Charts and settings come in their own files: the stage is up before they have arrived.
export const SuccessChart = loadedLater(
  async () => (await import('./charts/charts.tsx')).SuccessChart,
);
export const Charts = loadedLater(async () => (await import('./charts/charts.tsx')).Charts);
export const Evaluation = loadedLater(
  async () => (await import('./evaluation/panel.tsx')).Evaluation,
);
export const Trajectories = loadedLater(
  async () => (await import('./trajectories/panel.tsx')).Trajectories,
);
export const TwoPlayers = loadedLater(
  async () => (await import('./conversations/panel.tsx')).TwoPlayers,
);
const Reenactment = loadedLater(
  async () => (await import('./reenactment/card.tsx')).ReenactmentCard,
);
export const Knobs = loadedLater(async () => (await import('./knobs/panel.tsx')).Knobs);
const Twins = loadedLater(async () => (await import('./twins/card.tsx')).TwinsCard);
const Prediction = loadedLater(async () => (await import('./predict/card.tsx')).PredictionCard);
const Lesson = loadedLater(async () => (await import('./lessons/pane.tsx')).LessonPane);
const ModeCard = loadedLater(async () => (await import('./findings/card.tsx')).ModeCard);
const Gallery = loadedLater(async () => (await import('./gallery/gallery.tsx')).Gallery);
const Inspector = loadedLater(async () => (await import('./inspector/panel.tsx')).InspectorPanel);
const StepThrough = loadedLater(async () => (await import('./step-through/panel.tsx')).StepThrough);
const PlayMode = loadedLater(async () => (await import('./play/panel.tsx')).PlayMode);
const HelpSheet = loadedLater(async () => (await import('./comfort/help.tsx')).HelpSheet);
const TermCard = loadedLater(async () => (await import('./terms/card.tsx')).TermCard);
const Glossary = loadedLater(async () => (await import('./terms/glossary.tsx')).Glossary);
const Logs = loadedLater(async () => (await import('./logs/panel.tsx')).Logs);
const SweepPanel = loadedLater(async () => (await import('./sweeps/panel.tsx')).SweepPanel);
const Runs = loadedLater(async () => (await import('./runs/panel.tsx')).Runs);
const Settings = loadedLater(async () => (await import('./settings/settings.tsx')).Settings);

/** Whether something happened to the run from outside. */
const isDisturbed = ({ recoveries, moved, storage }: LabState) =>
  recoveries > 0 || moved !== null || (storage !== null && storage.state !== 'kept');

export function App() {
  const cannotTrain = useLab((lab) => lab.cannotTrain);
  const playersShown = useLab((lab) => criticises(lab.config));
  const playWanted = usePlayWanted((play) => play.wanted);
  const reenacting = useReenactment(({ playing }) => playing !== null);
  const knobsOpen = useKnobs(({ open }) => open);
  const twins = useTwins(({ playing }) => playing !== null);
  const predicting = usePrediction(({ open }) => open);
  const taught = useLesson(({ name }) => name !== null);
  const depth = useDepth((state) => state.depth);
  const everything = depth === 'everything';
  return (
    <>
      <Part name="The bar">
        <Header />
      </Part>
      <Part name="The announcements">
        <Announcer />
        <Shortcuts />
      </Part>
      {taught ? (
        <Part name="The lesson">
          <Lesson />
        </Part>
      ) : null}
      <main id="run" tabIndex={-1} className={cannotTrain ? 'page page-without' : 'page'}>
        <Part name="The overview">{cannotTrain ? <CannotTrain /> : <Overview />}</Part>
        <Notices />
        {reenacting ? (
          <Part name="The re-enactment">
            <Reenactment />
          </Part>
        ) : null}
        {twins ? (
          <Part name="The two agents">
            <Twins />
          </Part>
        ) : null}
        {predicting && !cannotTrain ? (
          <Part name="The prediction">
            <Prediction />
          </Part>
        ) : null}
        {knobsOpen && !cannotTrain ? (
          <Part name="The knobs">
            <Knobs />
          </Part>
        ) : null}
        {playWanted ? (
          <Part name="Play mode" waiting={<div className="card playmode" />}>
            <PlayMode />
          </Part>
        ) : null}
        <Part name="The stage">
          <Stage />
        </Part>
        {cannotTrain ? null : (
          <>
            <Part name="The success chart" waiting={<div className="card chart" />}>
              <SuccessChart />
            </Part>
            {playersShown && depth !== 'watch' ? (
              <Part name="The two players">
                <TwoPlayers />
              </Part>
            ) : null}
            {depth === 'watch' ? null : (
              <Part name="The charts">
                <Charts />
              </Part>
            )}
            {everything ? (
              <Part name="The evaluation">
                <Evaluation />
              </Part>
            ) : null}
          </>
        )}
        {everything ? (
          <Part name="The list of trajectories">
            <Trajectories />
          </Part>
        ) : null}
      </main>
      <Overs />
    </>
  );
}

/** What has to be known of the run, or done about it. */
export function Notices() {
  const disturbed = useLab(isDisturbed);
  const largeAsked = useLargeRun(({ large }) => large !== null);
  return (
    <Part name="The notices">
      <ReleaseNotice />
      {largeAsked ? <LargeRunCard /> : null}
      <ErrorNotice />
      <ReplacedNotice />
      <SkippedNotice />
      {disturbed ? <RunNotices /> : null}
    </Part>
  );
}

/** What lies over the page once somebody has asked for it. */
export function Overs() {
  const galleryWanted = useGallery((gallery) => gallery.wanted);
  const helpWanted = useHelp((help) => help.wanted);
  const termWanted = useTermCard(({ name }) => name !== null);
  const glossaryWanted = useGlossary((glossary) => glossary.wanted);
  const logsWanted = useLogsPanel((panel) => panel.wanted);
  const sweepWanted = useSweepPanel((panel) => panel.wanted);
  const runsWanted = useRunsPanel((panel) => panel.wanted);
  const settingsWanted = useSettings((settings) => settings.wanted);
  const inspected = useInspector(({ inspection }) => inspection !== null);
  const cardWanted = useModeCard(({ mode }) => mode !== null);
  const stepping = useStepThrough(({ open }) => open);
  return (
    <>
      {galleryWanted ? (
        <Part name="The gallery" over>
          <Gallery />
        </Part>
      ) : null}
      {inspected ? (
        <Part name="The inspector" over>
          <Inspector />
        </Part>
      ) : null}
      {stepping ? (
        <Part name="The walk through an iteration" over>
          <StepThrough />
        </Part>
      ) : null}
      {helpWanted ? (
        <Part name="The help" over>
          <HelpSheet />
        </Part>
      ) : null}
      {termWanted ? (
        <Part name="The card of a term" over>
          <TermCard />
        </Part>
      ) : null}
      {glossaryWanted ? (
        <Part name="The glossary" over>
          <Glossary />
        </Part>
      ) : null}
      {runsWanted ? (
        <Part name="The list of runs" over>
          <Runs />
        </Part>
      ) : null}
      {logsWanted ? (
        <Part name="The log" over>
          <Logs />
        </Part>
      ) : null}
      {sweepWanted ? (
        <Part name="The sweep" over>
          <SweepPanel />
        </Part>
      ) : null}
      {cardWanted ? (
        <Part name="The card" over>
          <ModeCard />
        </Part>
      ) : null}
      {settingsWanted ? (
        <Part name="The settings" over>
          <Settings />
        </Part>
      ) : null}
    </>
  );
}
