import { configAt, withChanges } from '../config/changes.ts';
import { completeConfig } from '../config/check.ts';
import type { Config } from '../config/schema.ts';
import { encodeCheckpoint } from '../runs/checkpoint.ts';
import type { KeptEpisodesState } from '../runs/record.ts';
import { evaluateAgents, evaluatedEnvironments } from '../training/evaluation.ts';
import { conversationRecords } from '../training/look/conversations.ts';
import { alternativesOf } from '../training/look/inspect.ts';
import { PhaseTeller } from '../training/look/phases.ts';
import type { Trainer } from '../training/trainer.ts';
import { RunEpisodes } from './episodes.ts';
import type { Machine } from './protocol.ts';
import type { SessionRun } from './session/types.ts';

/** Most tokens that are shown in place of a written one. */
const SHOWN_ALTERNATIVES = 6;

/** Few runs have an actor and a critic to be asked. */
const players = () => import('./players.ts');

/**
 * A trainer as the session leads it.
 *
 * @param checkFits throws where the device has no room for a config
 */
export function sessionRun(
  trainer: Trainer,
  machine: Machine,
  onDestroy: () => void,
  checkFits: (config: Config) => Promise<void>,
  earlier: KeptEpisodesState | null = null,
): SessionRun {
  const { config } = trainer;
  const { tokenizer } = trainer.agent;
  const textOf = (token: number) => tokenizer.label(token);
  const episodes = new RunEpisodes(config, textOf, earlier);
  return {
    machine,
    episodes,
    get iteration() {
      return trainer.iteration;
    },
    get finished() {
      return trainer.finished;
    },
    async iterate(onProgress, look) {
      const next = trainer.iteration + 1;
      const teller = new PhaseTeller(configAt(trainer.config, next), textOf, next);
      const { iteration, metrics, details, trajectories, trace, conversations, evaluation } =
        await trainer.iterate(
          onProgress,
          look === null
            ? null
            : async (result) => {
                const facts = teller.tell(result);
                if (facts !== null) await look(facts);
              },
        );
      episodes.addTraining(iteration, trajectories, trace);
      episodes.addConversations(iteration, conversationRecords(conversations));
      const result = {
        iteration,
        metrics,
        details,
        episodes: pick(trajectories, 7 * (iteration - 1)).map((shown) => episodes.record(shown)),
      };
      if (evaluation === undefined) return result;
      episodes.setEvaluation(iteration, evaluation.trajectories);
      // Each evaluation shows another task, so that all get their turn.
      const { length } = evaluation.trajectories;
      const shown = evaluation.trajectories[(iteration * 7) % length];
      return {
        ...result,
        evaluation: {
          metrics: evaluation.metrics,
          ...(evaluation.environments === undefined
            ? {}
            : { environments: evaluation.environments }),
          episodes: shown === undefined ? [] : [episodes.record(shown)],
        },
      };
    },
    async change(values) {
      const next = trainer.iteration + 1;
      const asked = completeConfig(withChanges(trainer.config, next, values));
      await checkFits(configAt(asked, next));
      trainer.change(values);
      return trainer.config;
    },
    async evaluate(settings, onProgress, breathe) {
      const environments = evaluatedEnvironments(config, 'trained');
      const { report } = await evaluateAgents({
        ...settings,
        agent: trainer.agent,
        trained: trainer,
        environments,
        onProgress,
        breathe,
      });
      return report;
    },
    async alternatives(number) {
      const trajectory = episodes.trajectory(number);
      if (trajectory === null) return null;
      return await alternativesOf(trainer.agent, trajectory, SHOWN_ALTERNATIVES);
    },
    answerTask: async (task, draw) => (await players()).answerTask(trainer, task, draw),
    weighCritique: async (about) => (await players()).weighCritique(trainer, about),
    collectCritiques: async (wanted, onProgress) =>
      (await players()).collectOf(trainer, wanted, onProgress),
    drawSamples: async (plan, onProgress) => (await players()).drawOf(trainer, plan, onProgress),
    async checkpoint() {
      return encodeCheckpoint(await trainer.checkpoint());
    },
    destroy() {
      onDestroy();
      trainer.destroy();
    },
  };
}

/**
 * One episode, and the next one that ended the other way, if any did.
 *
 * @param from where to begin, counted round and round, so that another iteration shows another task
 */
export function pick<Episode extends { readonly success: boolean }>(
  episodes: readonly Episode[],
  from = 0,
): readonly Episode[] {
  const start = from % Math.max(1, episodes.length);
  const turned = [...episodes.slice(start), ...episodes.slice(0, start)];
  const first = turned[0];
  if (first === undefined) return [];
  const other = turned.find(({ success }) => success !== first.success);
  return other === undefined ? [first] : [first, other];
}
