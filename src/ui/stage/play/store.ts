/** State of play mode: the agent, the episode, and the results. */
import { create } from 'zustand';
import type { DialogueTurn } from '../../../agents/dialogue.ts';
import { defaultPreset } from '../../../config/preset-names.ts';
import { presetConfig, presets } from '../../../config/presets.ts';
import { isRemote } from '../../../envs/registry.ts';
import { agentOf, keptAgentOf, type ReadAgent } from '../../../exchange/agent.ts';
import { isAgentFileError } from '../../../exchange/agent-files.ts';
import { settingsFor } from '../../../exchange/begin.ts';
import { OnnxPlayer, type Prospect } from '../../../exchange/player.ts';
import type { EnvironmentRef } from '../../../runs/episode.ts';
import { act, beginTask, isOver, type Reenactment, reenact } from '../../../runs/reenact.ts';
import { environmentOf, environmentsOf } from '../../shell/episode/environments.ts';
import { loadWorlds } from '../../shell/episode/worlds.ts';
import { FileRefusedError, readAgent } from '../../shell/files/file-reader.ts';
import { startRun } from '../../shell/lab/commands.ts';
import { ask, QuestionRefusedError } from '../../shell/lab/questions.ts';
import { useLab } from '../../shell/lab/store.ts';
import { hasGpu, loadRuntime, type Provider } from './runtime.ts';

export type Actor = 'agent' | 'you';

/** A finished episode. */
export interface Result {
  readonly environmentId: string;
  readonly task: string;
  readonly actor: Actor | 'both';
  readonly success: boolean;
  readonly score: number;
  readonly turns: number;
}

/** An agent from a file without an environment: a run can start from it. */
export interface Beginner {
  readonly agent: ReadAgent;
  /** The name of its file. */
  readonly origin: string;
}

/** Possible actions at a turn. */
interface Foreseen extends Prospect {
  readonly episode: Reenactment;
  /** Number of admissible actions, of which only the first are scored. */
  readonly admissible: number;
}

export interface PlayState {
  /** What is being loaded, in words; null for nothing. */
  readonly loading: string | null;
  /** The error, in one sentence. */
  readonly problem: string | null;
  readonly provider: Provider | null;
  /** Devices available in this browser. */
  readonly providers: readonly Provider[];
  readonly player: OnnxPlayer | null;
  readonly beginner: Beginner | null;
  /** Origin of the agent, in words. */
  readonly origin: string;
  readonly environments: readonly EnvironmentRef[];
  readonly env: EnvironmentRef | null;
  readonly task: string;
  readonly episode: Reenactment | null;
  /** Turns in the agent's format. */
  readonly dialogue: readonly DialogueTurn[];
  /** Player of each turn. */
  readonly actors: readonly Actor[];
  /** The agent's possible actions; those of an earlier turn until this turn's are computed. */
  readonly prospect: Foreseen | null;
  readonly playing: boolean;
  /** Greedy, or sampled at the agent's training temperature. */
  readonly greedy: boolean;
  readonly results: readonly Result[];
}

export const usePlay = create<PlayState>()(() => ({
  loading: null,
  problem: null,
  provider: null,
  providers: [],
  player: null,
  beginner: null,
  origin: '',
  environments: [],
  env: null,
  task: '',
  episode: null,
  dialogue: [],
  actors: [],
  prospect: null,
  playing: false,
  greedy: true,
  results: [],
}));

const { getState: get, setState: set } = usePlay;

/** Maximum number of likely first words listed. */
const WORDS_SHOWN = 8;
/**
 * Environments may offer hundreds of actions; beyond this number they are not scored individually.
 */
const MOST_WEIGHED = 48;

/** Loads an agent and starts it; errors are reported. */
async function load(origin: string, file: () => Promise<Blob>): Promise<void> {
  set({ loading: `Loading ${origin}.`, problem: null, beginner: null, playing: false });
  try {
    const agent = await readAgent(await file());
    if (agent.run === null) {
      set({ loading: null, beginner: { agent, origin } });
      return;
    }
    const checkpoint = keptAgentOf(agent);
    if (isRemote(checkpoint.config.env.id)) {
      set({
        loading: null,
        problem:
          'This agent was trained on an environment server, which play mode does not support.',
      });
      return;
    }
    const { provider } = await chooseProvider();
    set({ loading: 'Loading onnxruntime.' });
    const player = await OnnxPlayer.create(checkpoint, await loadRuntime(provider));
    await get().player?.release();
    const environments = environmentsOf(checkpoint.config.env);
    await loadWorlds(environments.map(({ id }) => id));
    const [env = null] = environments;
    // Every agent starts with the first task, so that agents can be compared.
    set({ player, origin, environments, env, task: '', results: [], loading: null });
    begin(null);
  } catch (error) {
    if (!isRefusal(error)) console.warn(error);
    set({ loading: null, problem: sentence(error) });
  }
}

/** Whether an error's message is a sentence for the user. */
function isRefusal(error: unknown): boolean {
  return (
    error instanceof FileRefusedError ||
    error instanceof QuestionRefusedError ||
    isAgentFileError(error)
  );
}

function sentence(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

async function chooseProvider(): Promise<{ provider: Provider }> {
  const known = get().provider;
  if (known !== null) return { provider: known };
  const gpu = await hasGpu();
  const provider: Provider = gpu ? 'webgpu' : 'wasm';
  set({ provider, providers: gpu ? ['webgpu', 'wasm'] : ['wasm'] });
  return { provider };
}

/** The small agent that ships with the page. */
export function loadShipped(): Promise<void> {
  return load('the maze agent', async () => {
    const answer = await fetch(new URL('agents/maze.zip', document.baseURI));
    if (!answer.ok) throw new Error(`The agent could not be fetched (${answer.status})`);
    return answer.blob();
  });
}

export function loadFile(file: File): Promise<void> {
  return load(`the agent ${file.name}`, async () => file);
}

/** The current run's agent after the current iteration. */
export function loadRun(): Promise<void> {
  return load('this run’s agent', async () => new Blob([await ask('read-checkpoint', {})]));
}

/**
 * Continues training the agent in the lab with its run's settings, without imitation and preference
 * learning, which only suit a new agent.
 */
export function trainOn(): void {
  const { player } = get();
  if (player === null) return;
  const { checkpoint } = player;
  const { imitation, preference } = checkpoint.config;
  const config = {
    ...checkpoint.config,
    imitation: { ...imitation, epochs: 0 },
    preference: { ...preference, epochs: 0 },
  };
  const same = presets.find(
    ({ name }) => JSON.stringify(presetConfig(name).env) === JSON.stringify(config.env),
  );
  const { shape, vocabulary, bpe, weights } = agentOf(checkpoint);
  startRun(config, same?.name ?? defaultPreset, false, { shape, vocabulary, bpe, weights });
}

/**
 * Starts a run from an agent without settings, with those of the current run's settings that suit the agent.
 */
export async function trainBeginner({ agent }: Beginner): Promise<void> {
  const { config, preset } = useLab.getState();
  try {
    const settings = await settingsFor(agent, config);
    const { shape, vocabulary, bpe, weights } = agent;
    startRun(settings, preset, false, { shape, vocabulary, bpe, weights });
    set({ beginner: null, problem: null });
  } catch (error) {
    set({ problem: sentence(error) });
  }
}

/** Continues the same agent and episode on another device. */
export async function changeProvider(provider: Provider): Promise<void> {
  const { player } = get();
  if (player === null) {
    set({ provider });
    return;
  }
  set({ loading: 'Loading onnxruntime.', problem: null, playing: false });
  try {
    const moved = await OnnxPlayer.create(player.checkpoint, await loadRuntime(provider));
    set({ player: moved, provider, loading: null });
    await player.release();
    await foresee();
  } catch (error) {
    set({ loading: null, problem: sentence(error) });
  }
}

export function chooseEnvironment(id: string): void {
  const env = get().environments.find((one) => one.id === id);
  if (env === undefined) return;
  set({ env });
  begin(null);
}

/** Starts a task, by default the current one. */
export function begin(wanted: string | null): void {
  const { env } = get();
  if (env === null) return;
  const environment = environmentOf(env);
  const { evalTasks } = environment;
  const next = evalTasks[(evalTasks.indexOf(get().task) + 1) % evalTasks.length] ?? '';
  const task = wanted ?? next;
  const episode = reenact(environment, beginTask(environment, env, task));
  set({ task, episode, dialogue: [], actors: [], prospect: null });
  void foresee();
}

/** Scores the agent's possible actions. */
async function foresee(): Promise<void> {
  const { player, env, episode, dialogue } = get();
  if (player === null || env === null || episode === null) return;
  const environment = environmentOf(env);
  if (isOver(environment, episode)) return;
  try {
    const all = environment.admissibleActions(episode.states.at(-1));
    const context = player.context(dialogue, episode.record.finalObservation);
    const prospect = await player.prospect(context, all.slice(0, MOST_WEIGHED), WORDS_SHOWN);
    if (get().episode === episode && get().player === player) {
      set({ prospect: { ...prospect, episode, admissible: all.length } });
    }
  } catch (error) {
    set({ problem: sentence(error), playing: false });
  }
}

/** One turn of the agent. */
export async function stepAgent(): Promise<void> {
  const { player, env, episode, dialogue, greedy } = get();
  if (player === null || env === null || episode === null) return;
  try {
    const context = player.context(dialogue, episode.record.finalObservation);
    const temperature = greedy ? 0 : player.checkpoint.config.agent.temperature;
    const { thought, action, tokens, actionTokens } = await player.write(context, temperature);
    if (get().episode !== episode) return;
    take('agent', { thought, action, actionTokens, tokens });
  } catch (error) {
    set({ problem: sentence(error), playing: false });
  }
}

/** One turn of the user. */
export function stepYourself(action: string): void {
  const { player } = get();
  if (player === null) return;
  set({ playing: false });
  take('you', { thought: '', action, actionTokens: player.spell(action), tokens: [] });
}

function take(
  actor: Actor,
  { thought, action, actionTokens, tokens }: Awaited<ReturnType<OnnxPlayer['write']>>,
): void {
  const { player, env, episode, dialogue, actors, results, task } = get();
  if (player === null || env === null || episode === null) return;
  const environment = environmentOf(env);
  if (isOver(environment, episode)) return;
  const observationTokens = player.tokenizer.encode(episode.record.finalObservation);
  const after = act(environment, episode, action, thought);
  const last = after.record.turns.at(-1);
  const turns = last === undefined ? [] : [...after.record.turns.slice(0, -1), { ...last, tokens }];
  const moved: Reenactment = { ...after, record: { ...after.record, turns } };
  const all = [...actors, actor];
  set({
    episode: moved,
    dialogue: [...dialogue, { observationTokens, actionTokens }],
    actors: all,
  });
  if (isOver(environment, moved)) {
    const { success, score } = moved.record;
    const one = new Set(all).size === 1;
    const result: Result = {
      ...{ environmentId: env.id, task, actor: one ? actor : 'both' },
      ...{ success, score, turns: all.length },
    };
    set({ results: [...results, result], playing: false });
  }
  void foresee();
}
