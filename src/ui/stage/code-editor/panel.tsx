import './code-editor.css';
import { Button, Loader, Menu, Modal } from '@mantine/core';
import {
  IconAlertTriangle,
  IconCircleCheck,
  IconPlayerPlay,
  IconPlayerPlayFilled,
} from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import type { CodeCheck, CodeFacts, Finding } from '../../../agents/check-code.ts';
import { cardOf, MOST_CODE } from '../../../envs/written/card.ts';
import { allTemplates } from '../../../envs/written/templates.ts';
import { percent, several } from '../../../runs/numbers.ts';
import { allow } from '../../shell/code/allowed.ts';
import { type Code, check } from '../../shell/code/run-code.ts';
import { choose } from '../../shell/episode/playback.ts';
import { loadWorlds } from '../../shell/episode/worlds.ts';
import { startRun } from '../../shell/lab/commands.ts';
import { closePanel, useOverlay } from '../../shell/page/panels.ts';
import { discardEdits } from '../../shell/settings/store-settings.ts';
import { EditorFiles, TemplatesMenu } from '../editor-files/editor-files.tsx';
import { PRESET, trainingConfig } from '../editor-files/training.ts';
import { useDraft } from './draft.ts';
import { CodeEditor, type EditorHandle } from './editor.tsx';
import { fileName, languageOfFile, readCodeFile } from './file.ts';
import { TryOut } from './try-out.tsx';

/** Writes an environment and trains an agent in it. */
export function CodeEditorPanel() {
  const overlay = useOverlay('code-editor', 'Close the code editor');
  return (
    <Modal {...overlay} size={1180} title="Write an environment">
      {overlay.opened ? <Editor /> : null}
    </Modal>
  );
}

/** Checks the code once typing has paused for this long. */
const PAUSE_MS = 500;

/** Result of checking the code. */
interface Checked extends CodeCheck, Code {}

/** Null while the check runs, or if the code may not run. */
function useCheck({ code, language }: Code, mayRun: boolean): Checked | null {
  const [checked, setChecked] = useState<Checked | null>(null);
  useEffect(() => {
    if (!mayRun) return;
    const ended = new AbortController();
    const timer = setTimeout(async () => {
      const found = await check({ code, language }, ended.signal);
      if (found !== null && !ended.signal.aborted) setChecked({ code, language, ...found });
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      ended.abort();
    };
  }, [code, language, mayRun]);
  const isCurrent = checked?.code === code && checked.language === language;
  return mayRun && isCurrent ? checked : null;
}

const none: readonly Finding[] = [];

const written = ({ code, language }: Code) => ({ id: cardOf(language).id, options: { code } });

function Editor() {
  const draft = useDraft();
  const { code, language, mayRun } = draft;
  const checked = useCheck({ code, language }, mayRun);
  const editor = useRef<EditorHandle>(null);
  return (
    <div className="code-editor-body">
      <div className="code-editor-main">
        <CodeEditor
          ref={editor}
          draft={draft}
          findings={checked?.findings ?? none}
          onChange={(changed) => useDraft.setState(changed)}
        />
      </div>
      <div className="code-editor-side">
        <FileActions code={code} language={language} facts={checked?.facts ?? null} />
        {mayRun ? (
          <Verdict
            code={code}
            language={language}
            checked={checked}
            onLine={(line) => editor.current?.goTo(line)}
          />
        ) : (
          <NotRun />
        )}
        {checked === null || checked.facts === null ? null : (
          <TryOut
            key={`${language} ${code}`}
            code={code}
            language={language}
            tasks={checked.facts.tasks}
            hasExpert={checked.facts.hasExpert}
          />
        )}
        <Train code={code} language={language} facts={checked?.facts ?? null} />
      </div>
    </div>
  );
}

/** Code from a link or file runs only after the user has confirmed it. */
function NotRun() {
  return (
    <div className="code-editor-verdict" role="status" data-testid="code-verdict">
      <p>
        This code came from elsewhere and has not run. Read it first. It runs without network,
        storage or access to the page.
      </p>
      <Button
        leftSection={<IconPlayerPlay size={15} aria-hidden />}
        onClick={() => useDraft.setState({ mayRun: true })}
      >
        Run this code
      </Button>
    </div>
  );
}

interface VerdictProps extends Code {
  readonly checked: Checked | null;
  readonly onLine: (line: number) => void;
}

/** What the check found. */
function Verdict({ code, language, checked, onLine }: VerdictProps) {
  if (code.trim() === '') {
    return (
      <p className="code-editor-verdict" role="status" data-testid="code-verdict">
        {language === 'python' ? (
          <span>
            Choose a template, or write a class with <code>max_episode_steps</code>,{' '}
            <code>actions</code>, <code>words</code>, <code>reset</code> and <code>step</code>.
          </span>
        ) : (
          <span>
            Choose a template, or write a module that exports <code>words</code>, <code>turns</code>
            , <code>reset</code>, <code>step</code> and <code>actions</code>.
          </span>
        )}
      </p>
    );
  }
  if (checked === null) {
    return (
      <p
        className="code-editor-verdict code-editor-checking"
        role="status"
        data-testid="code-verdict"
        data-state="checking"
      >
        <Loader size={14} aria-hidden />{' '}
        {language === 'python' ? 'Starting Python and checking…' : 'Checking…'}
      </p>
    );
  }
  const { findings, facts } = checked;
  return (
    <div
      className="code-editor-verdict"
      role="status"
      data-testid="code-verdict"
      data-state={facts === null ? 'error' : 'ready'}
    >
      {facts === null ? null : <Facts facts={facts} />}
      {findings.length === 0 ? null : (
        <ul className="code-editor-findings">
          {findings.map(({ line, problem, level }) => (
            <li key={problem} data-level={level}>
              <IconAlertTriangle size={15} aria-hidden />
              <span>
                {line === null ? null : (
                  <button type="button" onClick={() => onLine(line)}>
                    Line {line}
                  </button>
                )}{' '}
                {problem}.
              </span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function Facts({ facts }: { readonly facts: CodeFacts }) {
  const { turns, tasks, words, chance, expert } = facts;
  return (
    <p className="code-editor-facts">
      <IconCircleCheck size={17} aria-hidden />
      <span>
        <strong>The code is valid.</strong> {several(tasks, 'task')}, {several(turns, 'turn')},{' '}
        {several(words, 'word')}. Random actions solve {percent(chance)} of the tasks
        {expert === null ? '' : `, the expert ${percent(expert)}`}.
      </span>
    </p>
  );
}

interface CodeWithFacts extends Code {
  readonly facts: CodeFacts | null;
}

function FileActions({ code, language, facts }: CodeWithFacts) {
  return (
    <>
      <EditorFiles
        className="code-editor-files"
        label="Code file"
        testId="code-file"
        onOpen={async (chosen) =>
          useDraft.setState({
            code: await readCodeFile(chosen),
            language: languageOfFile(chosen.name),
            mayRun: false,
          })
        }
        file={
          code.trim() === '' ? null : { name: fileName(facts?.name ?? null, language), text: code }
        }
        run={
          facts === null
            ? null
            : () => ({ preset: PRESET, config: trainingConfig(written({ code, language }), facts) })
        }
      >
        <TemplatesMenu>
          {allTemplates.map(({ name, ...template }) => (
            <Menu.Item key={name} onClick={() => useDraft.setState({ ...template, mayRun: true })}>
              {name}
            </Menu.Item>
          ))}
        </TemplatesMenu>
      </EditorFiles>
      {code.length > MOST_CODE ? (
        <p className="editor-problem" role="alert">
          The code has {code.length.toLocaleString('en-US')} characters; the limit is{' '}
          {MOST_CODE.toLocaleString('en-US')}.
        </p>
      ) : null}
    </>
  );
}

function Train({ code, language, facts }: CodeWithFacts) {
  const [starting, setStarting] = useState(false);
  const train = async () => {
    if (facts === null) return;
    setStarting(true);
    allow({ kind: 'code', text: code });
    const config = trainingConfig(written({ code, language }), facts);
    await loadWorlds([config.env.id]);
    discardEdits();
    closePanel('code-editor');
    choose('latest');
    startRun(config, PRESET, false, undefined, facts.name ?? undefined);
  };
  return (
    <Button
      size="sm"
      variant="filled"
      className="code-editor-train"
      leftSection={<IconPlayerPlayFilled size={15} aria-hidden />}
      disabled={facts === null || code.length > MOST_CODE}
      loading={starting}
      onClick={() => void train()}
    >
      Train
    </Button>
  );
}
