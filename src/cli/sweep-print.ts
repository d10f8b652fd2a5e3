/** The runs of a sweep as a job for a cluster scheduler. */
import { resolve } from 'node:path';
import type { Sweep } from '../sweep/file.ts';
import { isListed, runCount } from '../sweep/plan.ts';
import { UsageError } from './usage.ts';

export const clusters = ['k8s', 'slurm'] as const;
type Cluster = (typeof clusters)[number];

/**
 * A job with one task per run of a sweep.
 *
 * @throws {UsageError} for a sweep that needs a coordinator
 */
export function printed(cluster: Cluster, sweep: Sweep, folder: string): string {
  if (!isListed(sweep)) {
    throw new UsageError(
      `--print ${cluster} needs a grid or random sweep without early_terminate, whose runs are known in advance; use --queue`,
    );
  }
  const runs = runCount(sweep);
  return cluster === 'k8s' ? indexedJob(sweep, runs, folder) : slurmArray(sweep, runs, folder);
}

/** Names of Kubernetes objects may contain only lower-case letters, digits and hyphens. */
const nameOf = (sweep: Sweep) =>
  `palestra-${sweep.name.toLowerCase().replace(/[^a-z\d]+/g, '-')}`.slice(0, 50).replace(/-+$/, '');

/**
 * Disruptions such as evictions do not count as failures. A run that fails otherwise is retried six times.
 */
function indexedJob(sweep: Sweep, runs: number, folder: string): string {
  return `# Fill in IMAGE, with Palestra in /palestra, and CLAIM, the volume that holds the folder.
# When it is done: npm run sweep -- FILE.yaml --out ${folder} --page
apiVersion: batch/v1
kind: Job
metadata:
  name: ${nameOf(sweep)}
spec:
  completionMode: Indexed
  completions: ${runs}
  parallelism: ${Math.min(runs, 8)}
  backoffLimitPerIndex: 6
  podFailurePolicy:
    rules:
      - action: Ignore
        onPodConditions:
          - type: DisruptionTarget
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: work
          image: IMAGE
          workingDir: /palestra
          command: [sh, -c, 'npm run --silent work -- --out /sweep --run "$JOB_COMPLETION_INDEX"']
          volumeMounts:
            - name: sweep
              mountPath: /sweep
      volumes:
        - name: sweep
          persistentVolumeClaim:
            claimName: CLAIM`;
}

function slurmArray(sweep: Sweep, runs: number, folder: string): string {
  return `#!/bin/bash
# Submit with sbatch from Palestra's folder, in parts (--array) if the site's MaxArraySize is below ${runs}.
# Write the page when all are done: npm run sweep -- FILE.yaml --out ${folder} --page
#SBATCH --job-name=${nameOf(sweep)}
#SBATCH --array=0-${runs - 1}%8
#SBATCH --cpus-per-task=1
#SBATCH --requeue
npm run --silent work -- --out '${resolve(folder).replaceAll("'", String.raw`'\''`)}' --run "$SLURM_ARRAY_TASK_ID" --threads 1`;
}
