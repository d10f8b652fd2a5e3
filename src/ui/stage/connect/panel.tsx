import './connect.css';
import { Button, Modal, Textarea, TextInput } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck, IconPlayerPlayFilled } from '@tabler/icons-react';
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import {
  checkedEnvironment,
  type ServerCheck,
  type ServerFacts,
} from '../../../agents/check-server.ts';
import { openEnvCard, openEnvOptions } from '../../../envs/remote/card.ts';
import { several } from '../../../runs/numbers.ts';
import { readKept, writeKept } from '../../shell/browser/kept.ts';
import { allow } from '../../shell/code/allowed.ts';
import { choose } from '../../shell/episode/playback.ts';
import { startRun } from '../../shell/lab/commands.ts';
import { useLab } from '../../shell/lab/store.ts';
import { closePanel, useOverlay } from '../../shell/page/panels.ts';
import { discardEdits } from '../../shell/settings/store-settings.ts';
import { PRESET, trainingConfig } from '../editor-files/training.ts';
import { milliseconds } from '../episode/server-line.tsx';
import { addressProblem, check } from './check.ts';

/** Connects to an environment on a server and trains an agent in it. */
export function ConnectPanel() {
  const overlay = useOverlay('connect', 'Close the dialog');
  return (
    <Modal {...overlay} size={640} title="Connect an environment">
      {overlay.opened ? <Connection /> : null}
    </Modal>
  );
}

const KEY = 'server-address';

/** Address of the current run's server, or the last address used. */
function initialAddress(): string {
  const { id, options } = useLab.getState().config.env;
  return id === openEnvCard.id ? String(options.url ?? '') : (readKept(KEY) ?? '');
}

type Result = 'checking' | ServerCheck | null;

function Connection() {
  const [address, setAddress] = useState(initialAddress);
  const [words, setWords] = useState('');
  /** Whether the server at this address sends no vocabulary. */
  const [lacksWords, setLacksWords] = useState(false);
  const [result, setResult] = useState<Result>(null);
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);
  const url = address.trim();
  const facts = typeof result === 'object' && result?.kind === 'facts' ? result.facts : null;

  const edit = (set: () => void) => {
    running.current?.abort();
    setResult(null);
    set();
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const problem = addressProblem(url, location);
    if (problem !== null) {
      setResult({ kind: 'failed', problem });
      return;
    }
    const ended = new AbortController();
    running.current?.abort();
    running.current = ended;
    setResult('checking');
    writeKept(KEY, url);
    const found = await check({ url, words }, ended.signal);
    if (found === null || ended.signal.aborted) return;
    setResult(found);
    if (found.kind === 'facts' && found.facts.words === 0) setLacksWords(true);
  };
  const train = (checked: ServerFacts) => {
    allow({ kind: 'server', text: url });
    const config = trainingConfig(checkedEnvironment(url, words, checked), checked);
    discardEdits();
    closePanel('connect');
    choose('latest');
    const { host, pathname } = new URL(url);
    startRun(config, PRESET, false, undefined, `${host}${pathname.replace(/\/$/, '')}`);
  };
  return (
    <form className="connect-body" onSubmit={(event) => void submit(event)}>
      <p className="connect-about">
        An environment on a server that speaks{' '}
        <a href="https://github.com/huggingface/OpenEnv" target="_blank" rel="noreferrer">
          OpenEnv
        </a>
        . The agent stays in this tab; only its actions are sent.
      </p>
      <div className="connect-address">
        <TextInput
          label="Address"
          placeholder="wss://example.org/openenv/maze"
          maxLength={openEnvOptions.url.most}
          value={address}
          onChange={({ currentTarget: { value } }) =>
            edit(() => {
              setAddress(value);
              setLacksWords(false);
            })
          }
          spellCheck={false}
          data-testid="connect-address"
        />
        <Button size="sm" type="submit" loading={result === 'checking'} disabled={url === ''}>
          Check
        </Button>
      </div>
      {result !== null && typeof result === 'object' && result.kind === 'failed' ? (
        <Note level="error">
          {result.problem}{' '}
          {addressProblem(url, location) === null ? (
            <>
              A server on this machine accepts this page if it is started with{' '}
              <code>npm run serve -- --allow-origin {location.origin}</code>.
            </>
          ) : null}
        </Note>
      ) : null}
      {facts === null ? null : <Facts facts={facts} />}
      {words === '' && !lacksWords ? null : (
        <Textarea
          label="Vocabulary"
          description="One word or phrase per line, actions included. Check again after a change."
          minRows={4}
          maxRows={10}
          autosize
          maxLength={openEnvOptions.words.most}
          value={words}
          onChange={({ currentTarget: { value } }) => edit(() => setWords(value))}
        />
      )}
      <Button
        size="sm"
        variant="filled"
        className="connect-train"
        leftSection={<IconPlayerPlayFilled size={15} aria-hidden />}
        disabled={facts === null || facts.words === 0}
        onClick={() => {
          if (facts !== null) train(facts);
        }}
      >
        Train
      </Button>
    </form>
  );
}

function Note({
  level,
  children,
}: {
  readonly level: 'error' | 'warning';
  readonly children: ReactNode;
}) {
  return (
    <p className="connect-note" data-level={level} role={level === 'error' ? 'alert' : undefined}>
      <IconAlertTriangle size={16} aria-hidden />
      <span>{children}</span>
    </p>
  );
}

/** Maximum number of actions listed. */
const SHOWN_ACTIONS = 24;

function Facts({ facts }: { readonly facts: ServerFacts }) {
  const { observation, actions, repeats, answerMs, sessions, tasks, turns, words, unknown } = facts;
  return (
    <div className="connect-facts" role="status" data-testid="connect-facts">
      <p className="connect-found">
        <IconCircleCheck size={17} aria-hidden />
        <span>
          <strong>The server answers in {milliseconds(answerMs)}.</strong> {several(tasks, 'task')},
          at most {several(turns, 'turn')}, {several(sessions, 'episode')} at once.{' '}
          {repeats ? 'It is deterministic: the same task gave the same answers twice.' : ''}
        </span>
      </p>
      {repeats ? null : (
        <Note level="warning">
          The same task gave different answers, so a run cannot be repeated exactly.
        </Note>
      )}
      {words === 0 ? (
        <Note level="warning">
          The server sends no vocabulary. List the words of its texts and actions below.
        </Note>
      ) : null}
      {unknown.length === 0 ? null : (
        <Note level="warning">
          The vocabulary lacks words of the observations, such as {unknown.join(', ')}. The agent
          cannot tell them apart.
        </Note>
      )}
      <h3>First observation</h3>
      <p className="connect-text" translate="no">
        {observation}
      </p>
      <h3>Actions at the start</h3>
      {actions.length === 0 ? (
        <p className="connect-text">
          The server does not list them. It reads what the agent writes.
        </p>
      ) : (
        <ul className="connect-actions">
          {actions.slice(0, SHOWN_ACTIONS).map((action) => (
            <li key={action} translate="no">
              {action}
            </li>
          ))}
          {actions.length > SHOWN_ACTIONS ? <li>{actions.length - SHOWN_ACTIONS} more</li> : null}
        </ul>
      )}
    </div>
  );
}
