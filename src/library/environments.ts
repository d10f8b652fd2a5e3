/**
 * `palestra/environments`: the environments, and the interface of custom ones. An environment is
 * pure: `reset` and `step` return new states. The functions below play episodes.
 */

export {
  type ActionResult as Acted,
  act,
  begin,
  EnvironmentFault,
  expertOf,
  type PlayedTurn,
  play,
  replay,
  type Standing,
  solved,
} from '../envs/episode.ts';
export { EnvironmentNotLoadedError } from '../envs/errors.ts';
export { aspect } from '../envs/holdout.ts';
export { createMixture, type Mixture, MixtureError, type MixturePart } from '../envs/mixture.ts';
export {
  createEnvironment,
  EnvironmentOptionError,
  type EnvironmentSettings,
  loadEnvironments,
  loadedEnvironment,
  offeredFamilies,
  UnknownEnvironmentError,
} from '../envs/registry.ts';
export {
  type Demonstration,
  type Environment,
  type EnvironmentFamily,
  type EnvironmentOption,
  type EnvironmentOptions,
  EpisodeOverError,
  type FamilyCard,
  type Holdout,
  type Observed,
  type OptionValue,
  type RegisteredFamily,
  type TaskAspect,
  type TaskCluster,
  type Transition,
  UnknownTaskError,
} from '../envs/types.ts';
