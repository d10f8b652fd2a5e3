import { isBrowserShortcut } from '../../shell/comfort/keys.ts';
import { AgentFileButton } from '../../shell/files/agent-file-button.tsx';
import { closePanel } from '../../shell/page/panels.ts';
import './play.css';
import { Alert, Button, CloseButton, Select, Switch } from '@mantine/core';
import {
  IconPlayerPause,
  IconPlayerPlay,
  IconPlayerTrackNext,
  IconSchool,
} from '@tabler/icons-react';
import { type KeyboardEvent, useEffect, useRef } from 'react';
import { titleOf } from '../../../envs/registry.ts';
import { environmentView } from '../../../envs/views.ts';
import { capital, percent, several } from '../../../runs/numbers.ts';
import { isOver } from '../../../runs/reenact.ts';
import { Dialogue } from '../../shell/episode/dialogue.tsx';
import { environmentOf, environmentsOf } from '../../shell/episode/environments.ts';
import { Picture } from '../../shell/episode/picture.tsx';
import { useLab } from '../../shell/lab/store.ts';
import { ProblemNotice } from '../../shell/notices/notices.tsx';
import { useExpertResult } from '../episode/expert.ts';
import { Where } from '../episode/where.tsx';
import { type Provider, providerTitles } from './runtime.ts';
import {
  begin,
  changeProvider,
  chooseEnvironment,
  loadFile,
  loadRun,
  loadShipped,
  type PlayState,
  type Result,
  stepAgent,
  stepYourself,
  trainBeginner,
  trainOn,
  usePlay,
} from './store.ts';

/** Time between two turns of an agent in automatic play. */
const TURN_MS = 700;

/** An exported agent: watch it, step it, and play against it. */
export function PlayMode() {
  const player = usePlay((play) => play.player);
  const loading = usePlay((play) => play.loading);
  const section = useRef<HTMLElement>(null);
  useEffect(() => {
    section.current?.scrollIntoView({ block: 'start' });
    const { player: known, loading: busy } = usePlay.getState();
    if (known === null && busy === null) void loadShipped();
  }, []);
  return (
    <section
      ref={section}
      className="card playmode"
      aria-labelledby="playmode-title"
      data-testid="play-mode"
    >
      <Head />
      <Problem />
      <BeginnerNotice />
      <p className="visually-hidden" role="status">
        {loading ?? ''}
      </p>
      {player === null ? (
        <p className="playmode-wait" aria-hidden>
          {loading ?? 'Open an agent to let it play.'}
        </p>
      ) : (
        <Board />
      )}
    </section>
  );
}

function Head() {
  const status = useLab((lab) => lab.status);
  const cannotTrain = useLab((lab) => lab.cannotTrain);
  const player = usePlay((play) => play.player);
  const provider = usePlay((play) => play.provider);
  const providers = usePlay((play) => play.providers);
  const loading = usePlay((play) => play.loading);
  const hasAgent = status === 'running' || status === 'paused' || status === 'finished';
  return (
    <header className="playmode-head">
      <div>
        <h2 id="playmode-title">Play mode</h2>
        <p>
          An exported agent runs here as it would anywhere else: in onnxruntime, without the
          trainer. Watch it, take a turn yourself, and compare the scores.
        </p>
      </div>
      <div className="row">
        <AgentFileButton
          label="Open a file"
          disabled={loading !== null}
          onOpen={(file) => void loadFile(file)}
        />
        <Button disabled={loading !== null} onClick={() => void loadShipped()}>
          Maze agent
        </Button>
        {cannotTrain || player === null ? null : (
          <Button
            title="Starts a run in the lab with this agent’s weights and settings, without imitation."
            disabled={loading !== null}
            onClick={trainOn}
          >
            Continue training
          </Button>
        )}
        {hasAgent ? (
          <Button disabled={loading !== null} onClick={() => void loadRun()}>
            This run’s agent
          </Button>
        ) : null}
        {provider === null ? null : (
          <Select
            aria-label="Compute on"
            value={provider}
            data={providers.map((value) => ({ value, label: providerTitles[value] }))}
            disabled={loading !== null || providers.length < 2}
            onChange={(chosen) => {
              if (chosen !== null) void changeProvider(chosen as Provider);
            }}
          />
        )}
      </div>
      <CloseButton
        className="playmode-close"
        aria-label="Close play mode"
        onClick={() => closePanel('play')}
      />
    </header>
  );
}

function Problem() {
  const problem = usePlay((play) => play.problem);
  return (
    <ProblemNotice problem={problem} onClose={() => usePlay.setState({ problem: null })} mb="sm" />
  );
}

/** An agent whose file names no environment cannot play, but can be trained in one. */
function BeginnerNotice() {
  const beginner = usePlay((play) => play.beginner);
  const cannotTrain = useLab((lab) => lab.cannotTrain);
  const env = useLab((lab) => lab.config.env);
  if (beginner === null) return null;
  const { agent, origin } = beginner;
  const { layers, width, vocabulary } = agent.shape;
  const names = environmentsOf(env).map(({ id }) => titleOf(id));
  return (
    <Alert
      color="ochre"
      variant="light"
      icon={<IconSchool />}
      title={`A run can start from ${origin}`}
      withCloseButton
      closeButtonLabel="Close this message"
      onClose={() => usePlay.setState({ beginner: null })}
      role="status"
      mb="sm"
      data-testid="beginner"
    >
      <p className="notice-line">
        It is a Llama decoder of {several(layers, 'layer')} and width {width} that reads and writes{' '}
        {vocabulary} tokens,{' '}
        {agent.bpe === null
          ? 'each a word or a phrase.'
          : 'each a word or part of one (byte-pair encoding).'}{' '}
        {agent.added}
      </p>
      <p className="notice-line">
        Its file names no environment, so it cannot play yet. It can be trained with the current
        run’s settings, using the agent’s network and vocabulary.
      </p>
      <Button
        variant="filled"
        className="beginner-go"
        disabled={cannotTrain}
        onClick={() => void trainBeginner(beginner)}
      >
        {cannotTrain ? 'No device can train here' : `Train it in ${names.join(', ')}`}
      </Button>
    </Alert>
  );
}

function Board() {
  const { env, environments, episode, task, playing, loading } = usePlay();
  const environment = env === null ? null : environmentOf(env);
  useEffect(() => {
    if (!playing || loading !== null) return;
    const timer = setTimeout(() => void stepAgent(), episode === null ? 0 : TURN_MS);
    return () => clearTimeout(timer);
  }, [playing, loading, episode]);
  if (env === null || environment === null || episode === null) return null;
  const { record, states } = episode;
  const over = isOver(environment, episode);
  const keys = environmentView(env.id)?.keys ?? {};
  const steered = Object.keys(keys).length > 0;
  const onKeyDown = (event: KeyboardEvent) => {
    if (isBrowserShortcut(event)) return;
    const action = keys[event.key];
    const target = event.target;
    if (action === undefined || over || target instanceof HTMLInputElement) return;
    if (target instanceof HTMLButtonElement && /^(Enter| )$/.test(event.key)) return;
    event.preventDefault();
    stepYourself(action);
  };
  return (
    <>
      <div className="playmode-body">
        <div className="playmode-picture" {...(steered ? { onKeyDown } : {})}>
          <Where
            id={env.id}
            environment={environment}
            choice={{ environments, task, onEnvironment: chooseEnvironment, onTask: begin }}
          />
          <div
            className="play-field"
            {...(steered
              ? {
                  tabIndex: 0,
                  role: 'application',
                  'aria-label': 'Take a turn yourself with the keys',
                }
              : {})}
          >
            <Picture
              env={env}
              taskId={task}
              state={states.at(-1)}
              glide={record.turns.length === 0 ? 0 : 200}
              text={record.finalObservation}
            />
          </div>
          <Controls over={over} />
        </div>
        <Prospects over={over} />
        <Dialogue
          record={record}
          turn={record.turns.length}
          finished={over}
          speaker="The agent or you"
        />
      </div>
      <Origin />
    </>
  );
}

function Controls({ over }: { readonly over: boolean }) {
  const { playing, greedy, loading, task, player } = usePlay();
  const temperature = player?.checkpoint.config.agent.temperature ?? 1;
  const disabled = over || loading !== null;
  return (
    <div className="row">
      <Button
        variant="filled"
        size="compact-sm"
        className="go"
        disabled={disabled}
        leftSection={playing ? <IconPlayerPause size={15} /> : <IconPlayerPlay size={15} />}
        onClick={() => usePlay.setState({ playing: !playing })}
      >
        {playing ? 'Pause' : 'Play'}
      </Button>
      <Button
        size="compact-sm"
        disabled={disabled || playing}
        leftSection={<IconPlayerTrackNext size={15} />}
        onClick={() => void stepAgent()}
      >
        One turn
      </Button>
      <Button size="compact-sm" onClick={() => begin(task)}>
        Same task again
      </Button>
      <Button size="compact-sm" onClick={() => begin(null)}>
        Next task
      </Button>
      <Switch
        size="xs"
        checked={greedy}
        label="Greedy"
        title={`Otherwise it samples at temperature ${temperature}, as in training.`}
        onChange={(event) => usePlay.setState({ greedy: event.currentTarget.checked })}
      />
    </div>
  );
}

/** The agent's possible actions with their probabilities; the user may take any. */
function Prospects({ over }: { readonly over: boolean }) {
  const prospect = usePlay((play) => play.prospect);
  const busy = usePlay((play) => play.prospect?.episode !== play.episode) && !over;
  const bare = usePlay((play) => play.player?.checkpoint.config.agent.format !== 'react');
  const weighed = (prospect?.actions ?? []).toSorted((a, b) => b.probability - a.probability);
  const listed = weighed.reduce((sum, { probability }) => sum + probability, 0);
  const rest = percent(Math.max(0, 1 - listed));
  const isCut = prospect !== null && prospect.admissible > weighed.length;
  const section = useRef<HTMLElement>(null);
  const chose = useRef(false);
  useEffect(() => {
    if (busy || !chose.current) return;
    chose.current = false;
    // The chosen action may have disappeared.
    if (document.activeElement === document.body) section.current?.focus({ preventScroll: true });
  });
  return (
    <section
      ref={section}
      tabIndex={-1}
      className="prospect"
      aria-labelledby="prospect-title"
      data-testid="prospect"
    >
      <h3 id="prospect-title">{bare ? 'Possible actions' : 'Possible first words'}</h3>
      <p>
        {over
          ? 'The episode has ended.'
          : bare
            ? isCut
              ? `The first ${weighed.length} of ${prospect.admissible} admissible actions, each with the probability that the agent writes it. Choose one to take this turn yourself.`
              : 'Every admissible action, with the probability that the agent writes it. Choose one to take this turn yourself.'
            : 'This agent writes a thought first. These are its most probable first words.'}
      </p>
      <ol aria-label="Probabilities" aria-busy={busy}>
        {over
          ? null
          : (bare ? weighed : (prospect?.next ?? [])).map(({ text, probability }) => (
              <li key={text}>
                {bare ? (
                  <button
                    type="button"
                    className="odds"
                    aria-disabled={busy}
                    onClick={() => {
                      if (busy) return;
                      chose.current = true;
                      stepYourself(text);
                    }}
                    aria-label={`${text}, ${percent(probability)}: take this turn yourself`}
                  >
                    <Share text={text} probability={probability} />
                  </button>
                ) : (
                  <span className="odds">
                    <Share text={text} probability={probability} />
                  </span>
                )}
              </li>
            ))}
      </ol>
      {bare && weighed.length > 0 && !over ? (
        <p>
          {isCut
            ? `The remaining ${rest} of the probability goes to other actions and texts.`
            : `The remaining ${rest} of the probability goes to other texts.`}
        </p>
      ) : null}
      <Scores />
    </section>
  );
}

function Share({ text, probability }: { readonly text: string; readonly probability: number }) {
  return (
    <>
      <span className="odds-bar" style={{ width: `${100 * probability}%` }} aria-hidden />
      <span translate="no">{text}</span>
      <span className="odds-p">{percent(probability)}</span>
    </>
  );
}

const providerNames: Readonly<Record<Provider, string>> = { webgpu: 'WebGPU', wasm: 'WebAssembly' };

const titles: Readonly<Record<Result['actor'], string>> = {
  agent: 'The agent',
  you: 'You',
  both: 'Together',
};

/** Finished episodes by player, with the expert's result on the current task. */
function Scores() {
  const { results, env, task }: PlayState = usePlay();
  const expert = useExpertResult(env, task);
  const best =
    expert === null
      ? ''
      : expert.success
        ? `The expert solves the current task in ${several(expert.turns, 'turn')}.`
        : 'The expert does not solve the current task.';
  const rows = (['agent', 'you', 'both'] as const).flatMap((actor) => {
    const own = results.filter((result) => result.actor === actor);
    if (own.length === 0) return [];
    const mean = (value: (result: Result) => number) =>
      own.reduce((sum, result) => sum + value(result), 0) / own.length;
    return [
      {
        actor,
        solved: own.filter(({ success }) => success).length,
        of: own.length,
        turns: mean(({ turns }) => turns),
        score: mean(({ score }) => score),
      },
    ];
  });
  return (
    <section className="scores" aria-label="Scores">
      <h3>Scores</h3>
      {rows.length === 0 ? (
        <p>No episode has finished yet. {best}</p>
      ) : (
        <table data-testid="scores">
          <thead>
            <tr>
              <th scope="col">Who played</th>
              <th scope="col">Solved</th>
              <th scope="col">Turns</th>
              <th scope="col">Score</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ actor, solved, of, turns, score }) => (
              <tr key={actor}>
                <th scope="row">{titles[actor]}</th>
                <td>
                  {solved} of {of}
                </td>
                <td>{turns.toFixed(1)}</td>
                <td>{score.toFixed(2)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {rows.length === 0 ? null : <p>Turns and score are means. {best}</p>}
    </section>
  );
}

/** The agent's origin, and the device that computes it. */
function Origin() {
  const { origin, episode, provider } = usePlay();
  const turns = episode?.record.turns.length ?? 0;
  return (
    <p className="playmode-foot" data-testid="play-origin">
      {capital(origin)}, {several(turns, 'turn')} played
      {provider === null ? '' : `, computed with ${providerNames[provider]}`}.
    </p>
  );
}
