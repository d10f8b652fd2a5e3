/** The runs of a sweep as a job for a cluster scheduler. */
import { resolve } from 'node:path';
import type { Sweep } from '../sweep/file.ts';
import { isListed, runCount } from '../sweep/plan.ts';
import { shellQuoted } from '../sweep/settings.ts';
import type { DeviceRequest } from './machine.node.ts';
import { workArguments } from './sweep-options.ts';
import { UsageError } from './usage.ts';

export const clusters = ['k8s', 'slurm'] as const;
type Cluster = (typeof clusters)[number];

interface Job extends DeviceRequest {
  readonly 'save-every': number;
}

/**
 * A job with one task per run of a sweep.
 *
 * @throws {UsageError} for a sweep that needs a coordinator
 */
export function printed(cluster: Cluster, sweep: Sweep, folder: string, job: Job): string {
  if (!isListed(sweep)) {
    throw new UsageError(
      `--print ${cluster} needs a grid or random sweep without early_terminate, whose runs are known in advance; use --queue`,
    );
  }
  const print = cluster === 'k8s' ? indexedJob : slurmArray;
  return print(sweep, runCount(sweep), shellQuoted(folder), job);
}

/** Names of Kubernetes objects may contain only lower-case letters, digits and hyphens. */
const nameOf = (sweep: Sweep) =>
  `palestra-${sweep.name.toLowerCase().replace(/[^a-z\d]+/g, '-')}`.slice(0, 50).replace(/-+$/, '');

/**
 * Disruptions such as evictions do not count as failures. A run that fails otherwise is retried six times.
 */
function indexedJob(sweep: Sweep, runs: number, folder: string, job: Job): string {
  const work = ['--out /sweep --run "$JOB_COMPLETION_INDEX"', ...workArguments(job)].join(' ');
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
          command: [sh, -c, 'npm run --silent work -- ${work}']
          volumeMounts:
            - name: sweep
              mountPath: /sweep
      volumes:
        - name: sweep
          persistentVolumeClaim:
            claimName: CLAIM`;
}

function slurmArray(sweep: Sweep, runs: number, folder: string, job: Job): string {
  const { device, threads = 1 } = job;
  const work = [
    `--out ${shellQuoted(resolve(folder))} --run "$SLURM_ARRAY_TASK_ID"`,
    ...workArguments(device === 'webgpu' ? job : { ...job, threads }),
  ].join(' ');
  return `#!/bin/bash
# Submit with sbatch from Palestra's folder, in parts (--array) if the site's MaxArraySize is below ${runs}.
# Write the page when all are done: npm run sweep -- FILE.yaml --out ${folder} --page
#SBATCH --job-name=${nameOf(sweep)}
#SBATCH --array=0-${runs - 1}%8
#SBATCH --cpus-per-task=${threads}
#SBATCH --requeue
npm run --silent work -- ${work}`;
}
