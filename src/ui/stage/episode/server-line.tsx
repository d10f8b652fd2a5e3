import './server-line.css';
import { IconAlertTriangle, IconPlugConnected } from '@tabler/icons-react';
import { useLab } from '../../shell/lab/store.ts';

/** The server of the run: how long it takes to answer, its faults, and whether the run waits for it. */
export function ServerLine() {
  const url = useLab(({ config }) => config.env.options.url);
  const waiting = useLab((lab) => lab.serverWaiting);
  const rows = useLab((lab) => lab.rows);
  if (waiting !== null) {
    return (
      <p className="server-line server-line-waiting" role="status" data-testid="server">
        <IconAlertTriangle size={16} aria-hidden />
        <span>
          The server is not responding: {waiting}. The run waits for it, and plays the interrupted
          episodes again.
        </span>
      </p>
    );
  }
  const faults = rows.reduce((sum, { metrics }) => sum + (metrics['rollout/faults'] ?? 0), 0);
  const answer = rows.at(-1)?.metrics['time/answer'];
  return (
    <p className="server-line" data-testid="server">
      <IconPlugConnected size={16} aria-hidden />
      <span>
        {String(url)}
        {answer === undefined ? '' : `, ${milliseconds(answer)} to answer`}
        {rows.length === 0
          ? ''
          : `, ${faults === 0 ? 'no' : faults} connection ${faults === 1 ? 'fault' : 'faults'}`}
      </span>
    </p>
  );
}

export const milliseconds = (ms: number): string =>
  `${ms < 10 ? Number(ms.toFixed(1)) : Math.round(ms)} ms`;
