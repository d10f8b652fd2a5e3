import { Button } from '@mantine/core';
import { IconPlayerPlay, IconScale } from '@tabler/icons-react';
import { amount, bytes } from '../../runs/numbers.ts';
import { resumeRun } from '../lab/commands.ts';
import { backToDefault } from '../lab/opening.ts';
import { useLab } from '../lab/store.ts';
import { useLargeRun } from './large-run.ts';

/** Asks before a large run that the address names: what it takes, and whether to start it. */
export function LargeRunCard() {
  const { large } = useLargeRun();
  const waiting = useLab(({ status }) => status === 'asked');
  if (large === null || !waiting) return null;
  const { cost, usual } = large;
  const { parameters, bytes: memory, tokens, operations } = cost;
  return (
    <section className="card large-run" aria-labelledby="large-run-title" data-testid="large-run">
      <h2 id="large-run-title" className="large-run-title">
        <IconScale size={20} className="large-run-mark" aria-hidden /> This address asks for a large
        run
      </h2>
      <p className="large-run-text">
        It has not been started: it may keep this machine busy for long, slow down everything else
        on it, or need more memory than it has. Its settings are filled in, so you can make it
        smaller first.
      </p>
      <dl className="large-run-figures">
        <div>
          <dt>Numbers to train</dt>
          <dd>{amount(parameters)}</dd>
        </div>
        <div>
          <dt>Memory</dt>
          <dd>{bytes(memory)}</dd>
        </div>
        <div>
          <dt>Tokens an iteration</dt>
          <dd>up to {amount(tokens)}</dd>
        </div>
        <div>
          <dt>Operations an iteration</dt>
          <dd>up to {amount(operations)}</dd>
        </div>
      </dl>
      <p className="large-run-text large-run-scale">
        For comparison: the preset that opens by itself trains {amount(usual.parameters)} numbers in{' '}
        {bytes(usual.bytes)}, with up to {amount(usual.operations)} operations an iteration.
      </p>
      <p className="large-run-text fault-ways">
        <Button onClick={backToDefault}>Use the default instead</Button>
        <Button variant="default" leftSection={<IconPlayerPlay size={16} />} onClick={resumeRun}>
          Start anyway
        </Button>
      </p>
    </section>
  );
}
