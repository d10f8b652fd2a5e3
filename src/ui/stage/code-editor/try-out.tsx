import { Button } from '@mantine/core';
import { IconArrowBackUp, IconSchool, IconSwitch3 } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import type { Trial } from '../../../agents/check-code.ts';
import type { Language } from '../../../envs/written/card.ts';
import { Rows } from '../../../envs/written/rows.tsx';
import { type Refusal, tryOut } from '../../shell/code/run-code.ts';

interface TryOutProps {
  readonly code: string;
  readonly language: Language;
  readonly tasks: number;
  readonly hasExpert: boolean;
}

/** What is played: the actions of a task, and whether the expert finishes it. */
interface Plan {
  readonly task: number;
  readonly actions: readonly string[];
  readonly finish: boolean;
}

const isTrial = (result: Trial | Refusal): result is Trial => 'turns' in result;

/** Plays the environment by hand. */
export function TryOut({ code, language, tasks, hasExpert }: TryOutProps) {
  const [plan, setPlan] = useState<Plan>({ task: 0, actions: [], finish: false });
  const [result, setResult] = useState<Trial | Refusal | null>(null);
  useEffect(() => {
    const ended = new AbortController();
    const { task, actions, finish } = plan;
    void tryOut({ code, language, task, actions, finish }, ended.signal).then((found) => {
      if (found !== null && !ended.signal.aborted) setResult(found);
    });
    return () => ended.abort();
  }, [code, language, plan]);

  if (result === null) return <div className="code-editor-trial" aria-busy />;
  if (!isTrial(result)) {
    const { line, problem } = result;
    return (
      <p className="editor-problem" role="alert">
        {line === null ? '' : `Line ${line}: `}
        {problem}.
      </p>
    );
  }
  const { turns, actions, success, over } = result;
  const last = turns.at(-1);
  const played = turns.flatMap(({ action }) => action ?? []);
  const score = turns.reduce((sum, { reward }) => sum + reward, 0);
  return (
    <section className="code-editor-trial" aria-label="Try it" data-testid="code-trial">
      <header>
        <h3>Try it</h3>
        <span className="code-editor-count">
          Task {plan.task + 1} of {tasks}
        </span>
      </header>
      <div className="code-editor-shown">
        {last === undefined || last.rows === null ? null : <Rows rows={last.rows} />}
        <p data-testid="code-trial-text" translate="no">
          {last?.text}
        </p>
      </div>
      {over ? (
        <p className="code-editor-outcome" role="status" data-success={success || undefined}>
          {success ? 'Solved' : 'Not solved'} after {played.length}{' '}
          {played.length === 1 ? 'turn' : 'turns'}, score {Number(score.toFixed(2))}.
        </p>
      ) : (
        <ul className="code-editor-actions" aria-label="Actions">
          {actions.map((action) => (
            <li key={action}>
              <button
                type="button"
                translate="no"
                onClick={() => setPlan({ ...plan, actions: [...played, action], finish: false })}
              >
                {action}
              </button>
            </li>
          ))}
        </ul>
      )}
      <div className="code-editor-row">
        {hasExpert ? (
          <Button
            size="compact-xs"
            leftSection={<IconSchool size={14} aria-hidden />}
            disabled={over}
            onClick={() => setPlan({ ...plan, actions: played, finish: true })}
          >
            Let the expert finish
          </Button>
        ) : null}
        <Button
          size="compact-xs"
          leftSection={<IconArrowBackUp size={14} aria-hidden />}
          disabled={played.length === 0}
          onClick={() => setPlan({ ...plan, actions: played.slice(0, -1), finish: false })}
        >
          Back
        </Button>
        <Button
          size="compact-xs"
          leftSection={<IconSwitch3 size={14} aria-hidden />}
          disabled={tasks < 2}
          onClick={() => setPlan({ task: (plan.task + 1) % tasks, actions: [], finish: false })}
        >
          Next task
        </Button>
      </div>
    </section>
  );
}
