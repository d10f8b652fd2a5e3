/** `palestra/agents`: agents from checkpoints, and the multi-turn loop in which they play. */

export { type Agent, greedy } from '../agents/agent.ts';
export { expertTrajectory } from '../agents/expert.ts';
export { type FormatName, readTurn, type Written, writeTurn } from '../agents/format.ts';
export { play, type WholeEpisode } from '../agents/play.ts';
export {
  type EpisodeRequest,
  type Rollout,
  type RolloutRequest,
  rollout,
  triesOf,
} from '../agents/rollout.ts';
export { agentTokens, type Trajectory, type Turn } from '../agents/trajectory.ts';
export type { Tokenizer } from '../policy/tokenizer.ts';
export type { TokenPolicy } from '../policy/types.ts';
export { CheckpointError } from '../runs/checkpoint.ts';
export type { DeviceOptions } from './machine.ts';
export { type OpenedAgent, openAgent } from './open-agent.ts';
