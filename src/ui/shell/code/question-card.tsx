import './question-card.css';
import { Button } from '@mantine/core';
import { IconCode, IconPlayerPlay, IconPlugConnected } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import type { Finding } from '../../../agents/check-code.ts';
import { defaultPreset } from '../../../config/preset-names.ts';
import { useReplacedSettings } from '../address/replaced.ts';
import { forgetEnvironments } from '../episode/environments.ts';
import { startPreset } from '../lab/commands.ts';
import { useLab } from '../lab/store.ts';
import { allow, type Foreign, type Question, usePermissionQuestion } from './allowed.ts';
import { check } from './run-code.ts';

const texts: Readonly<
  Record<
    Foreign['kind'],
    { readonly title: string; readonly about: string; readonly allow: string }
  >
> = {
  code: {
    title: 'This run contains code',
    about:
      'Its environment is a program that came with the link or file. It has not run yet. If you run it, it runs in an interpreter without network, storage or access to the page, and with limits on time and memory.',
    allow: 'Run this code',
  },
  server: {
    title: 'This run connects to a server',
    about:
      'Its environment runs on the server below, which the link or file specifies. Nothing has been sent to it yet. If you connect, it receives the agent’s actions and sees your IP address. Its answers are read as text only.',
    allow: 'Connect',
  },
};

/** Shows the code or server that a run needs and asks the visitor to allow it. */
export function PermissionQuestion() {
  const { question } = usePermissionQuestion();
  return question === null ? null : <Card key={question.asked.text} question={question} />;
}

function Card({ question }: { readonly question: Question }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    // The user may have scrolled down, or have asked for the run in a drawer.
    heading.current?.scrollIntoView({ block: 'center' });
    heading.current?.focus({ preventScroll: true });
  }, [question]);
  const hasRun = useLab(({ runId }) => runId !== null);
  const [checking, setChecking] = useState(false);
  const [errors, setErrors] = useState<readonly Finding[]>([]);
  const { asked, goOn } = question;
  const { kind, text } = asked;
  const close = () => usePermissionQuestion.setState({ question: null });

  const startDefault = () => {
    useReplacedSettings.setState({ notes: [] });
    startPreset(defaultPreset);
  };

  const runIfFine = async () => {
    if (asked.kind !== 'code') return;
    setChecking(true);
    const { language } = asked;
    const found = await check({ code: text, language }, new AbortController().signal);
    setChecking(false);
    const wrong = found?.findings.filter(({ level }) => level === 'error') ?? [];
    setErrors(wrong);
    if (wrong.length === 0 && usePermissionQuestion.getState().question === question) accept();
  };
  const accept = () => {
    allow(asked);
    forgetEnvironments();
    close();
    goOn();
  };

  const Icon = kind === 'code' ? IconCode : IconPlugConnected;
  return (
    <section
      className="card question code-question"
      aria-labelledby="code-question-title"
      data-testid={`${kind}-question`}
    >
      <h2 id="code-question-title" ref={heading} tabIndex={-1}>
        <Icon size={20} aria-hidden /> {texts[kind].title}
      </h2>
      <p>{texts[kind].about}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long code scrolls by keyboard */}
      <pre className="code-question-code" tabIndex={0}>
        {text}
      </pre>
      {errors.map(({ line, problem }) => (
        <p key={problem} className="code-question-error" role="alert">
          {line === null ? '' : `Line ${line}: `}
          {problem}.
        </p>
      ))}
      <p className="row">
        {hasRun ? (
          <Button size="sm" variant="filled" onClick={close}>
            Keep the current run
          </Button>
        ) : (
          <Button size="sm" variant="filled" onClick={startDefault}>
            Use the default instead
          </Button>
        )}
        <Button
          size="sm"
          leftSection={<IconPlayerPlay size={16} aria-hidden />}
          loading={checking}
          onClick={kind === 'code' ? () => void runIfFine() : accept}
        >
          {texts[kind].allow}
        </Button>
      </p>
    </section>
  );
}
