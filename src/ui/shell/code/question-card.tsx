import './question-card.css';
import { Button } from '@mantine/core';
import { IconCode, IconPlayerPlay } from '@tabler/icons-react';
import { useState } from 'react';
import type { Finding } from '../../../agents/check-code.ts';
import { forgetEnvironments } from '../episode/environments.ts';
import { backToDefault } from '../lab/back-to-default.ts';
import { useLab } from '../lab/store.ts';
import { allowCode, useCodeQuestion } from './allowed.ts';
import { check } from './run-code.ts';

/** Shows the code of a run that the visitor has not seen, and asks whether it may run. */
export function CodeQuestion() {
  const { question } = useCodeQuestion();
  const hasRun = useLab(({ runId }) => runId !== null);
  const [checking, setChecking] = useState(false);
  const [errors, setErrors] = useState<readonly Finding[]>([]);
  if (question === null) return null;
  const { code, goOn } = question;
  const close = () => useCodeQuestion.setState({ question: null });

  const allow = async () => {
    setChecking(true);
    const found = await check(code, new AbortController().signal);
    setChecking(false);
    const wrong = found?.findings.filter(({ level }) => level === 'error') ?? [];
    setErrors(wrong);
    if (wrong.length > 0 || useCodeQuestion.getState().question !== question) return;
    allowCode(code);
    forgetEnvironments();
    close();
    goOn();
  };

  return (
    <section
      className="card code-question"
      aria-labelledby="code-question-title"
      data-testid="code-question"
    >
      <h2 id="code-question-title" className="code-question-title">
        <IconCode size={20} className="code-question-mark" aria-hidden /> This run contains code
      </h2>
      <p className="code-question-text">
        Its environment is a program that came with the link or file. It has not run yet. If you run
        it, it runs in an interpreter without network, storage or access to the page, and with
        limits on time and memory.
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long code scrolls by keyboard */}
      <pre className="code-question-code" tabIndex={0}>
        {code}
      </pre>
      {errors.map(({ line, problem }) => (
        <p key={problem} className="code-question-error" role="alert">
          {line === null ? '' : `Line ${line}: `}
          {problem}.
        </p>
      ))}
      <p className="code-question-ways">
        {hasRun ? (
          <Button onClick={close}>Keep the current run</Button>
        ) : (
          <Button onClick={backToDefault}>Use the default instead</Button>
        )}
        <Button
          variant="default"
          leftSection={<IconPlayerPlay size={16} aria-hidden />}
          loading={checking}
          onClick={() => void allow()}
        >
          Run this code
        </Button>
      </p>
    </section>
  );
}
