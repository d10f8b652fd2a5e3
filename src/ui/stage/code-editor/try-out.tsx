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
  const trial = isTrial(result) ? result : null;
  const turns = trial?.turns ?? [];
  const last = turns.at(-1);
  const played = trial === null ? plan.actions : turns.flatMap(({ action }) => action ?? []);
  const score = turns.reduce((sum, { reward }) => sum + reward, 0);
  // An expert that failed is taken back without the turns before it.
  const kept = trial === null && plan.finish ? played : played.slice(0, -1);
  return (
    <section className="code-editor-trial" aria-label="Try it" data-testid="code-trial">
      <header>
        <h3>Try it</h3>
        <span className="code-editor-count">
          Task {plan.task + 1} of {tasks}
        </span>
      </header>
      {isTrial(result) ? (
        <div className="code-editor-shown">
          {last === undefined || last.rows === null ? null : <Rows rows={last.rows} />}
          <p data-testid="code-trial-text" translate="no">
            {last?.text}
          </p>
        </div>
      ) : (
        <p className="editor-problem" role="alert">
          {result.line === null ? '' : `Line ${result.line}: `}
          {result.problem}.
        </p>
      )}
      {trial === null ? null : trial.over ? (
        <p className="code-editor-outcome" role="status" data-success={trial.success || undefined}>
          {trial.success ? 'Solved' : 'Not solved'} after {played.length}{' '}
          {played.length === 1 ? 'turn' : 'turns'}, score {Number(score.toFixed(2))}.
        </p>
      ) : (
        <ul className="code-editor-actions" aria-label="Actions">
          {trial.actions.map((action) => (
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
            disabled={trial?.over !== false}
            onClick={() => setPlan({ ...plan, actions: played, finish: true })}
          >
            Let the expert finish
          </Button>
        ) : null}
        <Button
          size="compact-xs"
          leftSection={<IconArrowBackUp size={14} aria-hidden />}
          disabled={played.length === 0 && !plan.finish}
          onClick={() => setPlan({ ...plan, actions: kept, finish: false })}
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
