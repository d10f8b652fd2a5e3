import { curve, doublings } from '../../algorithms/test-time.ts';
import { drawKinds, type KeptCurve, type TestTimePlan } from '../../runs/test-time.ts';
import { evaluationTasks } from '../environments.ts';
import type { Hearing } from '../recipes/critique/play.ts';
import { drawSamples } from './draw.ts';

/**
 * Draws a plan's samples of the evaluation tasks and makes one curve per draw: accuracy at 1, 2, 4,
 * … samples. A debate has a single point, because its answers depend on each other.
 *
 * @throws {EnvironmentFault} if the environment fails
 */
export async function drawCurves(
  hearing: Hearing,
  { tasks: most, draws }: TestTimePlan,
  onDrawn: (curve: KeptCurve) => void = () => {},
): Promise<KeptCurve[]> {
  const tasks = evaluationTasks(hearing.environment, most);
  const curves: KeptCurve[] = [];
  for (const plan of draws) {
    const sampled = await drawSamples(hearing, { plan, tasks });
    const counts = plan.how === 'debate' ? [plan.samples] : doublings(plan.samples);
    const drawn = { ...plan, points: curve(sampled, drawKinds[plan.how].order, counts) };
    curves.push(drawn);
    onDrawn(drawn);
  }
  return curves;
}
