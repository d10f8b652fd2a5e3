import { Button, SegmentedControl } from '@mantine/core';
import { IconRun } from '@tabler/icons-react';
import { Suspense, useEffect, useMemo } from 'react';
import { isRemote } from '../../../envs/registry.ts';
import { canMap, canTogether } from '../../../envs/views.ts';
import type { EnvironmentRef } from '../../../runs/episode.ts';
import { loadedLater } from '../../shell/comfort/release.ts';
import { environmentOf, environmentsOf } from '../../shell/episode/environments.ts';
import { choose, type Source, usePlayback } from '../../shell/episode/playback.ts';
import { useWorlds } from '../../shell/episode/worlds.ts';
import { isCopying, useLab } from '../../shell/lab/store.ts';
import { Boundary } from '../../shell/page/boundary.tsx';
import { useDepth } from '../../shell/page/depth.ts';
import { Film } from './film.tsx';

const Lapse = loadedLater(async () => (await import('./lapse.tsx')).Lapse);
const Play = loadedLater(async () => (await import('./play.tsx')).Play);
const ServerLine = loadedLater(async () => (await import('./server-line.tsx')).ServerLine);

/** Collects data for the policy map while the map is not shown. */
function collectStarts(): () => void {
  let [stopped, stop] = [false, () => {}];
  import('./starts.ts').then(
    ({ followStarts }) => {
      if (!stopped) stop = followStarts();
    },
    (error: unknown) => console.error(error),
  );
  return () => {
    stopped = true;
    stop();
  };
}

const sources: readonly {
  readonly value: Source;
  readonly label: string;
  readonly hint?: string;
}[] = [
  {
    value: 'starts',
    label: 'Map',
  },
  {
    value: 'latest',
    label: 'Latest',
    hint: 'A training episode of the newest iteration.',
  },
  { value: 'success', label: 'Solved', hint: 'The newest training episode that solved its task.' },
  { value: 'failure', label: 'Failed', hint: 'The newest training episode that failed.' },
  {
    value: 'evaluation',
    label: 'Greedy',
    hint: 'The newest evaluation episode. Evaluation is greedy: it uses the most probable token.',
  },
  { value: 'chosen', label: 'Chosen', hint: 'The episode selected in the list of trajectories.' },
  {
    value: 'expert',
    label: 'Expert',
    hint: 'A hand-written solver with access to the rules.',
  },
];

/** Sources that work without a policy. */
const withoutPolicy: ReadonlySet<Source> = new Set(['chosen', 'expert', 'play']);

/** Sources for which the page plays the environment. */
const played: ReadonlySet<Source> = new Set(['expert', 'play']);

function titleOf(source: Source): string {
  if (source === 'play') return 'Your turn';
  if (source === 'starts') return 'Policy map';
  return source === 'expert' ? 'Expert' : 'Agent';
}

interface SceneProps {
  readonly source: Source;
  readonly env: EnvironmentRef;
  readonly environments: readonly EnvironmentRef[];
}

/** Creates the environment inside the error boundary, since that may throw. */
function Scene(props: SceneProps) {
  const { env, environments } = props;
  const chosen = usePlayback((playback) => playback.chosen?.record.environment.id);
  const ids = [env, ...environments].map(({ id }) => id);
  const ready = useWorlds(chosen === undefined ? ids : [...ids, chosen]);
  return ready ? <Made {...props} /> : <Placeholder source={props.source} />;
}

/** As large as a maze, so that the page does not shift when the environment loads. */
function Placeholder({ source }: { readonly source: Source }) {
  return (
    <>
      <div className="stage-body">
        <div className="stage-picture">
          <div className="row where" />
          <div className="stage-coming" />
          <div className="transport transport-still" />
        </div>
        <p className={source === 'starts' ? 'lapse' : 'stage-wait'} />
      </div>
      <p className="stage-foot">&nbsp;</p>
    </>
  );
}

function Made({ source, env, environments }: SceneProps) {
  const environment = environmentOf(env);
  const hint = sources.find(({ value }) => value === source)?.hint ?? '';
  if (source === 'play') {
    return (
      <Suspense fallback={<Placeholder source={source} />}>
        <Play env={env} environments={environments} environment={environment} />
      </Suspense>
    );
  }
  if (source === 'starts') {
    return (
      <Suspense fallback={<Placeholder source={source} />}>
        <Lapse env={env} environment={environment} />
      </Suspense>
    );
  }
  return (
    <Film
      source={source}
      env={env}
      environments={environments}
      environment={environment}
      hint={hint}
    />
  );
}

/** The agent in its environment, with the dialogue beside it. */
export function Stage() {
  const env = useLab((lab) => lab.config.env);
  const runId = useLab((lab) => lab.runId);
  const cannotTrain = useLab((lab) => lab.cannotTrain);
  const watching = useDepth(({ depth }) => depth === 'watch');
  const { source: chosenSource, chosen, environmentId } = usePlayback();
  const environments = useMemo(() => environmentsOf(env), [env]);
  const alone = env.mixture.length === 0;
  const fromStarts = alone && canTogether(env.id);
  const together = alone && canMap(env.id);
  // If all starts are shown together, that view collects the data itself.
  const collects = together && !fromStarts;
  useEffect(() => (collects ? collectStarts() : undefined), [collects]);
  const remote = isRemote(env.id);
  const copying = useLab((lab) => lab.status === 'running' && isCopying(lab));
  const own = watching && fromStarts ? 'starts' : 'latest';
  const initial = copying && !remote ? 'expert' : own;
  const isOffered = (value: Source) =>
    (value !== 'starts' || together) && !(remote && played.has(value));
  const wanted = chosenSource !== null && isOffered(chosenSource) ? chosenSource : initial;
  const source = cannotTrain && !remote && !withoutPolicy.has(wanted) ? 'expert' : wanted;
  const ref = environments.find(({ id }) => id === environmentId) ?? environments[0];
  const offered = sources.filter(
    ({ value }) =>
      (!cannotTrain || withoutPolicy.has(value)) &&
      (value !== 'chosen' || chosen !== null) &&
      isOffered(value),
  );
  if (ref === undefined) return null;
  const shown = source === 'chosen' ? (chosen?.key ?? '') : source;
  const key = `${ref.id} ${JSON.stringify(ref.options)}`;
  return (
    <section className="card stage" aria-labelledby="stage-title" data-testid="stage">
      <header className="row stage-head">
        <h2 id="stage-title">{titleOf(source)}</h2>
        <SegmentedControl
          aria-label="Episode to show"
          value={source}
          onChange={choose}
          data={offered.map(({ value, label }) => ({ value, label }))}
        />
        {remote ? null : (
          <Button
            className="stage-race"
            variant={source === 'play' ? 'filled' : 'light'}
            leftSection={<IconRun size={15} aria-hidden />}
            aria-pressed={source === 'play'}
            aria-keyshortcuts="P"
            aria-label={cannotTrain ? 'Play it yourself' : 'Play against the agent'}
            onClick={() => choose('play')}
          >
            {cannotTrain ? 'Play' : 'Race'}
            <span className="stage-race-more">{cannotTrain ? ' it yourself' : ' the agent'}</span>
          </Button>
        )}
      </header>
      {remote ? (
        <Suspense>
          <ServerLine />
        </Suspense>
      ) : null}
      <Boundary
        resetKey={`${runId} ${shown} ${key}`}
        fallback={(message) => (
          <p className="stage-text" role="alert">
            Cannot show this episode. {message}
          </p>
        )}
      >
        <Scene
          key={source === 'play' ? key : shown}
          source={source}
          env={ref}
          environments={environments}
        />
      </Boundary>
    </section>
  );
}
