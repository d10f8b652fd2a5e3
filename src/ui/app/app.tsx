import { Suspense } from 'react';
import { criticizes } from '../../config/recipes.ts';
import { useReplacedSettings } from '../shell/address/replaced.ts';
import { usePermissionQuestion } from '../shell/code/allowed.ts';
import { loadedLater } from '../shell/comfort/release.ts';
import { ReleaseNotice } from '../shell/comfort/release-notice.tsx';
import { type LabState, useLab } from '../shell/lab/store.ts';
import { ErrorNotice } from '../shell/notices/notices.tsx';
import { useDepth } from '../shell/page/depth.ts';
import { Group } from '../shell/page/groups.tsx';
import { Part } from '../shell/page/part.tsx';
import { Stage } from '../stage/episode/stage.tsx';
import { useLargeRun } from '../why/overview/large-run.ts';
import { Overview } from '../why/overview/overview.tsx';
import { Announcer } from './announcer.tsx';
import { Header } from './header.tsx';
import { Panels } from './panel-places.tsx';
import { Shortcuts } from './shortcuts.ts';

const CannotTrain = loadedLater(
  async () => (await import('../shell/notices/cannot-train.tsx')).CannotTrain,
);
const RunNotices = loadedLater(
  async () => (await import('../shell/notices/run-notices.tsx')).RunNotices,
);
const LargeRunCard = loadedLater(
  async () => (await import('../why/overview/large-run-card.tsx')).LargeRunCard,
);
const PermissionQuestion = loadedLater(
  async () => (await import('../shell/code/question-card.tsx')).PermissionQuestion,
);
// Charts and settings load after the stage.
const FirstCharts = loadedLater(async () => (await import('../charts/charts.tsx')).FirstCharts);
export const SuccessChart = loadedLater(
  async () => (await import('../charts/charts.tsx')).SuccessChart,
);
export const Charts = loadedLater(async () => (await import('../charts/charts.tsx')).Charts);
export const Evaluation = loadedLater(
  async () => (await import('../shelf/evaluation/panel.tsx')).Evaluation,
);
export const Trajectories = loadedLater(
  async () => (await import('../shelf/trajectories/panel.tsx')).Trajectories,
);
export const TwoPlayers = loadedLater(
  async () => (await import('../inside/conversations/panel.tsx')).TwoPlayers,
);

/** Whether the GPU was lost, the run moved to another device, could not be saved, or skipped an update. */
const isDisturbed = ({ recoveries, moved, storage, rows }: LabState) =>
  recoveries > 0 ||
  moved !== null ||
  (storage !== null && storage.state !== 'kept') ||
  rows.some(({ details }) => details.updates.some(({ skipped }) => skipped));

export function App() {
  const cannotTrain = useLab((lab) => lab.cannotTrain);
  const playersShown = useLab((lab) => criticizes(lab.config));
  const depth = useDepth((state) => state.depth);
  const everything = depth === 'everything';
  return (
    <>
      <Part name="The header">
        <Header />
      </Part>
      <Part name="The announcements">
        <Announcer />
        <Shortcuts />
      </Part>
      <Panels at="beside" />
      <main id="run" tabIndex={-1} className={cannotTrain ? 'page page-without' : 'page'}>
        <Part name="The overview">{cannotTrain ? <CannotTrain /> : <Overview />}</Part>
        <Notices />
        <Panels at="above" />
        <Part name="The stage">
          <Stage />
        </Part>
        {cannotTrain ? null : (
          <>
            <div className={depth === 'watch' ? 'first-charts' : 'first-charts first-charts-one'}>
              <Part name="The first charts" waiting={<div className="card chart" />}>
                <FirstCharts />
              </Part>
            </div>
            {playersShown && depth !== 'watch' ? (
              <Part name="The two players">
                <TwoPlayers />
              </Part>
            ) : null}
            {depth === 'understand' ? (
              <Part name="The charts">
                <Charts />
              </Part>
            ) : null}
          </>
        )}
        {everything ? (
          <div className="everything">
            {cannotTrain ? null : (
              <>
                <Part name="The charts">
                  <Charts />
                </Part>
                <Group id="evaluation">
                  <Part name="The evaluation">
                    <Evaluation />
                  </Part>
                </Group>
              </>
            )}
            <Group id="episodes">
              <Part name="The list of trajectories">
                <Trajectories />
              </Part>
            </Group>
          </div>
        ) : null}
      </main>
      <Panels at="over" />
    </>
  );
}

/** Warnings about the run, with their actions. */
export function Notices() {
  const disturbed = useLab(isDisturbed);
  const replaced = useReplacedSettings(({ notes }) => notes.length > 0);
  const largeAsked = useLargeRun(({ large }) => large !== null);
  const permissionAsked = usePermissionQuestion(({ question }) => question !== null);
  return (
    <Part name="The notices">
      <ReleaseNotice />
      {largeAsked ? <LargeRunCard /> : null}
      {permissionAsked ? <PermissionQuestion /> : null}
      <ErrorNotice />
      <Suspense>{disturbed || replaced ? <RunNotices /> : null}</Suspense>
    </Part>
  );
}
