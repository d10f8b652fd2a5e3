// In Node: trains the maze for a few iterations, and lets the agent play.
//   node node.mjs
import { presetConfig, train } from 'palestra';
import { openAgent, play } from 'palestra/agents';
import { loadedEnvironment } from 'palestra/environments';

const config = { ...presetConfig('maze'), stopping: { iterations: 3 } };
const run = await train({
  config,
  onIteration: ({ iteration, metrics }) =>
    console.log(`iteration ${iteration}: success ${metrics['rollout/success_rate']}`),
});
console.log(`greedy: success ${run.evaluation.metrics['eval/success_rate']}`);

const environment = await loadedEnvironment(config.env);
const { agent, close } = await openAgent(run.checkpoint);
const [task = ''] = environment.evalTasks;
const [episode] = await play(agent, environment, [{ task, horizon: environment.turnLimit }]);
console.log(`${task}: ${episode?.turns.map(({ action }) => action).join(', ')}`);
close();
