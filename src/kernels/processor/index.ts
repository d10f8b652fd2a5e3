import type { ProcessorKernels } from '../../device/processor/kernel.ts';
import { adamwKernels } from './adamw.ts';
import { attentionKernels } from './attention.ts';
import { bapoKernels } from './bapo.ts';
import { covarianceKernels } from './covariance.ts';
import { embeddingKernels } from './embedding.ts';
import { episodesKernels } from './episodes.ts';
import { matmulKernels } from './matmul.ts';
import { objectiveKernels } from './objective.ts';
import { reduceKernels } from './reduce.ts';
import { rmsnormKernels } from './rmsnorm.ts';
import { ropeKernels } from './rope.ts';
import { rowsKernels } from './rows.ts';
import { sampleKernels } from './sample.ts';
import { statisticsKernels } from './statistics.ts';
import { surrogateKernels } from './surrogate.ts';
import { swigluKernels } from './swiglu.ts';

/** CPU kernels of Palestra's own network, by `kernel.entry`. */
export const processorKernels: ProcessorKernels = {
  ...adamwKernels,
  ...attentionKernels,
  ...bapoKernels,
  ...covarianceKernels,
  ...embeddingKernels,
  ...episodesKernels,
  ...matmulKernels,
  ...objectiveKernels,
  ...reduceKernels,
  ...rmsnormKernels,
  ...ropeKernels,
  ...rowsKernels,
  ...sampleKernels,
  ...statisticsKernels,
  ...surrogateKernels,
  ...swigluKernels,
};
