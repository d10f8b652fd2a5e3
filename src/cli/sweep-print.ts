/** A sweep's list of runs for schedulers that have their own machines. */
import { resolve } from 'node:path';
import type { Sweep } from '../sweep/file.ts';
import { isListed, runCount } from '../sweep/plan.ts';
import { UsageError } from './usage.ts';

export const clusters = ['k8s', 'slurm'] as const;
export type Cluster = (typeof clusters)[number];

/** @throws {UsageError} */
export function readCluster(text: string): Cluster {
  const found = clusters.find((name) => name === text);
  if (found !== undefined) return found;
  throw new UsageError(`--print is one of ${clusters.join(', ')}, got ${JSON.stringify(text)}`);
}

/**
 * What plays every run of a sweep, one a machine.
 *
 * @throws {UsageError} for a sweep that somebody has to lead
 */
export function printed(cluster: Cluster, sweep: Sweep, folder: string): string {
  if (!isListed(sweep)) {
    throw new UsageError(
      `--print ${cluster} is for grid and random sweeps without early_terminate, whose runs are all known beforehand; use --queue`,
    );
  }
  const runs = runCount(sweep);
  return cluster === 'k8s' ? indexedJob(sweep, runs, folder) : slurmArray(sweep, runs, folder);
}

/** Names of Kubernetes' objects have small letters, digits and hyphens. */
const nameOf = (sweep: Sweep) =>
  `palestra-${sweep.name.toLowerCase().replace(/[^a-z\d]+/g, '-')}`.slice(0, 50).replace(/-+$/, '');

/** Disruptions do not count as failures; whoever dies otherwise is tried again six times. */
function indexedJob(sweep: Sweep, runs: number, folder: string): string {
  return `# Fill in the image, which holds Palestra in /palestra, and the claim of the storage that has the folder.
# Afterwards: npm run sweep -- FILE.yaml --out ${folder} --page
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
# sbatch THIS_FILE, from Palestra's folder. Afterwards: npm run sweep -- FILE.yaml --out ${folder} --page
# A site's MaxArraySize may be smaller than ${runs}; --array then takes a part after the other.
#SBATCH --job-name=${nameOf(sweep)}
#SBATCH --array=0-${runs - 1}%8
#SBATCH --cpus-per-task=1
#SBATCH --requeue
npm run --silent work -- --out '${resolve(folder).replaceAll("'", String.raw`'\''`)}' --run "$SLURM_ARRAY_TASK_ID" --threads 1`;
}
