import { Button } from '@mantine/core';
import { IconPlayerPlay, IconScale } from '@tabler/icons-react';
import { defaultPreset } from '../../../config/preset-names.ts';
import { amount, bytes } from '../../../runs/numbers.ts';
import { useReplacedSettings } from '../../shell/address/replaced.ts';
import { resumeRun, startPreset } from '../../shell/lab/commands.ts';
import { useLab } from '../../shell/lab/store.ts';
import { useLargeRun } from './large-run.ts';

/** Asks for confirmation of a large run: its cost, and whether to start it. */
export function LargeRunCard() {
  const { large } = useLargeRun();
  const waiting = useLab(({ status }) => status === 'asked');
  if (large === null || !waiting) return null;
  const { cost, usual } = large;
  const startDefault = () => {
    useReplacedSettings.setState({ notes: [] });
    startPreset(defaultPreset);
  };
  const { parameters, bytes: memory, tokens, operations } = cost;
  return (
    <section className="card question" aria-labelledby="large-run-title" data-testid="large-run">
      <h2 id="large-run-title">
        <IconScale size={20} aria-hidden /> This address asks for a large run
      </h2>
      <p>
        It has not been started: it may keep this machine busy for a long time, slow down other
        programs, or need more memory than is available. Its settings are filled in, so you can make
        it smaller first.
      </p>
      <dl className="large-run-figures">
        <div>
          <dt>Trained parameters</dt>
          <dd>{amount(parameters)}</dd>
        </div>
        <div>
          <dt>Memory</dt>
          <dd>{bytes(memory)}</dd>
        </div>
        <div>
          <dt>Tokens per iteration</dt>
          <dd>up to {amount(tokens)}</dd>
        </div>
        <div>
          <dt>Operations per iteration</dt>
          <dd>up to {amount(operations)}</dd>
        </div>
      </dl>
      <p className="large-run-scale">
        For comparison: the default preset trains {amount(usual.parameters)} parameters in{' '}
        {bytes(usual.bytes)}, with up to {amount(usual.operations)} operations per iteration.
      </p>
      <p className="row">
        <Button size="sm" variant="filled" onClick={startDefault}>
          Use the default instead
        </Button>
        <Button size="sm" leftSection={<IconPlayerPlay size={16} />} onClick={resumeRun}>
          Start anyway
        </Button>
      </p>
    </section>
  );
}
