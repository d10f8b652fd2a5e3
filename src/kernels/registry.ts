/**
 * The kernel registry lists every compute entry point of `shaders/` under the operation that
 * dispatches it. `KERNEL.cases.ts` gives the test sizes, random inputs, float64 reference and
 * gradients of a kernel. `kernels.test.ts` generates its tests from the registry and fails if an
 * entry point is missing.
 */

import { adamwOperations } from './adamw.cases.ts';
import { attentionOperations } from './attention.cases.ts';
import { bapoOperations } from './bapo.cases.ts';
import { covarianceOperations } from './covariance.cases.ts';
import { elementwiseOperations } from './elementwise.cases.ts';
import { embeddingOperations } from './embedding.cases.ts';
import { episodesOperations } from './episodes.cases.ts';
import { frozenOperations } from './frozen.cases.ts';
import { headnormOperations } from './headnorm.cases.ts';
import { layerOperations } from './layer.cases.ts';
import { matmulOperations } from './matmul.cases.ts';
import { objectiveOperations } from './objective.cases.ts';
import type { Operation } from './operation.ts';
import { reduceOperations } from './reduce.cases.ts';
import { rmsnormOperations } from './rmsnorm.cases.ts';
import { ropeOperations } from './rope.cases.ts';
import { rowsOperations } from './rows.cases.ts';
import { sampleOperations } from './sample.cases.ts';
import { statisticsOperations } from './statistics.cases.ts';
import { surrogateOperations } from './surrogate.cases.ts';
import { swigluOperations } from './swiglu.cases.ts';
import { turnOperations } from './turn.cases.ts';

/** All operations. */
export const kernelRegistry: readonly Operation[] = [
  ...matmulOperations,
  ...layerOperations,
  ...reduceOperations,
  ...embeddingOperations,
  ...rmsnormOperations,
  ...frozenOperations,
  ...headnormOperations,
  ...elementwiseOperations,
  ...ropeOperations,
  ...attentionOperations,
  ...swigluOperations,
  ...rowsOperations,
  ...objectiveOperations,
  ...surrogateOperations,
  ...statisticsOperations,
  ...bapoOperations,
  ...episodesOperations,
  ...covarianceOperations,
  ...sampleOperations,
  ...turnOperations,
  ...adamwOperations,
];
