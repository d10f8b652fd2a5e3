import { Button, SegmentedControl } from '@mantine/core';
import { IconRun } from '@tabler/icons-react';
import { Suspense, useEffect, useMemo } from 'react';
import { canMap, canTogether } from '../../envs/views.ts';
import type { EnvironmentRef } from '../../runs/episode.ts';
import { loadedLater } from '../comfort/release.ts';
import { useLab } from '../lab/store.ts';
import { Boundary } from '../page/boundary.tsx';
import { useDepth } from '../page/depth.ts';
import { environmentOf, environmentsOf } from './environments.ts';
import { Film } from './film.tsx';
import { choose, type Source, usePlayback } from './playback.ts';
import { useWorlds } from './worlds.ts';

const Lapse = loadedLater(async () => (await import('./lapse.tsx')).Lapse);
const Play = loadedLater(async () => (await import('./play.tsx')).Play);

/** Gathers what a look at all episodes will want, whether or not somebody looks yet. */
function follow(): () => void {
  let [over, end] = [false, () => {}];
  import('./starts.ts').then(
    ({ followStarts }) => {
      if (!over) end = followStarts();
    },
    (error: unknown) => console.error(error),
  );
  return () => {
    over = true;
    end();
  };
}

const sources: readonly {
  readonly value: Source;
  readonly label: string;
  readonly hint?: string;
}[] = [
  {
    value: 'starts',
    label: 'All',
  },
  {
    value: 'latest',
    label: 'Latest',
    hint: 'An episode of the newest iteration, whichever way it ended.',
  },
  { value: 'success', label: 'Solved', hint: 'The newest training episode that succeeded.' },
  { value: 'failure', label: 'Failed', hint: 'The newest training episode that failed.' },
  {
    value: 'evaluation',
    label: 'Greedy',
    hint: 'The newest evaluation: the most probable word at every turn.',
  },
  { value: 'chosen', label: 'Chosen', hint: 'The episode chosen from the list of trajectories.' },
  {
    value: 'expert',
    label: 'Expert',
    hint: 'The expert knows the rules and plans ahead; it has learned nothing.',
  },
];

const isSource = (value: string): value is Source =>
  sources.some((candidate) => candidate.value === value);

/** Sources that need no policy. */
const withoutPolicy: ReadonlySet<Source> = new Set(['chosen', 'expert', 'play']);

function titleOf(source: Source, fromStarts: boolean): string {
  if (source === 'play') return 'Your turn';
  if (source === 'starts') return fromStarts ? 'From every start at once' : 'What it does where';
  return source === 'expert' ? 'The expert at work' : 'The agent at work';
}

interface SceneProps {
  readonly source: Source;
  readonly env: EnvironmentRef;
  readonly environments: readonly EnvironmentRef[];
}

/** Makes the environment, which may fail, within the boundary of the stage. */
function Scene(props: SceneProps) {
  const { env, environments } = props;
  const chosen = usePlayback((playback) => playback.chosen?.record.environment.id);
  const ids = [env, ...environments].map(({ id }) => id);
  const ready = useWorlds(chosen === undefined ? ids : [...ids, chosen]);
  return ready ? <Made {...props} /> : <Coming source={props.source} />;
}

/** As much room as a maze takes: the page must not move when the world arrives. */
function Coming({ source }: { readonly source: Source }) {
  return (
    <>
      <div className="stage-body">
        <div className="stage-picture">
          <div className="where" />
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
      <Suspense fallback={<Coming source={source} />}>
        <Play env={env} environments={environments} environment={environment} />
      </Suspense>
    );
  }
  if (source === 'starts') {
    return (
      <Suspense fallback={<Coming source={source} />}>
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

/** The agent in its environment, beside what was said. */
export function Stage() {
  const env = useLab((lab) => lab.config.env);
  const runId = useLab((lab) => lab.runId);
  const cannotTrain = useLab((lab) => lab.cannotTrain);
  const atOnce = useDepth(({ depth }) => depth === 'watch');
  const { source: chosenSource, chosen, environmentId } = usePlayback();
  const environments = useMemo(() => environmentsOf(env), [env]);
  const alone = env.mixture.length === 0;
  const fromStarts = alone && canTogether(env.id);
  const together = alone && canMap(env.id);
  // Where it is what a newcomer sees first, it gathers by itself.
  const aside = together && !fromStarts;
  useEffect(() => (aside ? follow() : undefined), [aside]);
  const usual = atOnce && fromStarts ? 'starts' : 'latest';
  const wanted = chosenSource === 'starts' && !together ? usual : (chosenSource ?? usual);
  const source = cannotTrain && !withoutPolicy.has(wanted) ? 'expert' : wanted;
  const ref = environments.find(({ id }) => id === environmentId) ?? environments[0];
  const offered = sources.filter(
    ({ value }) =>
      (!cannotTrain || withoutPolicy.has(value)) &&
      (value !== 'chosen' || chosen !== null) &&
      (value !== 'starts' || together),
  );
  if (ref === undefined) return null;
  const shown = source === 'chosen' ? (chosen?.key ?? '') : source;
  const key = `${ref.id} ${JSON.stringify(ref.options)}`;
  return (
    <section className="card stage" aria-labelledby="stage-title" data-testid="stage">
      <header className="stage-head">
        <h2 id="stage-title">{titleOf(source, fromStarts)}</h2>
        <SegmentedControl
          size="xs"
          aria-label="Episode to show"
          value={source}
          onChange={(value) => {
            if (isSource(value)) choose(value);
          }}
          data={offered.map(({ value, label }) => ({ value, label }))}
        />
        <Button
          className="stage-race"
          size="xs"
          variant={source === 'play' ? 'filled' : 'light'}
          leftSection={<IconRun size={15} aria-hidden />}
          aria-pressed={source === 'play'}
          aria-keyshortcuts="P"
          aria-label={cannotTrain ? 'Play it yourself' : 'Race the agent'}
          onClick={() => choose('play')}
        >
          {cannotTrain ? 'Play' : 'Race'}
          <span className="stage-race-more">{cannotTrain ? ' it yourself' : ' the agent'}</span>
        </Button>
      </header>
      <Boundary
        resetKey={`${runId} ${shown} ${key}`}
        fallback={(message) => (
          <p className="stage-text" role="alert">
            This episode cannot be shown. {message}
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
