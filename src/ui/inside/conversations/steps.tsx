import { IconAlertTriangle, IconCheck, IconEyeOff, IconX } from '@tabler/icons-react';
import { type ReactNode, type Ref, useMemo } from 'react';
import type { Remark } from '../../../envs/criticism.ts';
import type { EnvironmentSettings } from '../../../envs/registry.ts';
import { type AnswerColumn, environmentView } from '../../../envs/views.ts';
import { environmentOf, placeOfTask } from '../../shell/episode/environments.ts';
import { faultNames, labelTruth, type Seen } from './reading.ts';
import { labelLines } from './words.ts';

const NOTHING: ReadonlySet<number> = new Set();

interface StepsProps {
  readonly environment: EnvironmentSettings;
  readonly task: string;
  readonly answer: string;
  readonly asked?: boolean;
  readonly judged: boolean;
  readonly columns?: readonly AnswerColumn[];
  readonly changed?: ReadonlySet<number>;
}

/** An answer line by line; as text if its environment does not draw answers. */
export function AnswerSteps(props: StepsProps) {
  const { environment: settings, task, answer, asked = false, judged } = props;
  const { environment, state } = useMemo(() => {
    const place = placeOfTask(settings, task);
    const world = environmentOf(place.environment);
    return { ...place, state: world.step(world.reset(place.task).state, answer).state };
  }, [settings, task, answer]);
  const Answer = environmentView(environment.id)?.Answer;
  if (Answer === undefined) return <p className="conv-words">{answer}</p>;
  return (
    <Answer
      environmentId={environment.id}
      options={environment.options}
      state={state}
      asked={asked}
      judged={judged}
      columns={props.columns ?? []}
      changed={props.changed ?? NOTHING}
    />
  );
}

/** A critique's label of each step; it ends at the first one that it calls wrong. */
export function labelColumn(
  title: string,
  { steps, remarks }: Pick<Seen, 'steps' | 'remarks'>,
): AnswerColumn {
  return {
    title,
    cells: steps.map((step, i): ReactNode => {
      const remark = remarks[i];
      if (remark === undefined) {
        return (
          <span className="conv-label conv-unseen">
            <IconEyeOff size={15} aria-hidden /> no label
          </span>
        );
      }
      return <Label remark={remark} truth={labelTruth(remark, step)} />;
    }),
  };
}

function Label({
  remark: { label, fault, value, own },
  truth,
}: {
  readonly remark: Remark;
  readonly truth: keyof typeof labelLines;
}) {
  const Icon = truth !== 'right' ? IconAlertTriangle : label === 'ok' ? IconCheck : IconX;
  return (
    <span
      className={`conv-label conv-label-${truth}`}
      title={own === null ? '' : `The critique’s own version of the step: ${own}`}
    >
      <Icon size={15} aria-hidden />
      <span>
        {label === 'ok' ? 'ok' : fault === null ? 'wrong' : faultNames[fault]}
        {value === null ? '' : `, should be ${value}`}
        {truth === 'right' ? null : <small>{labelLines[truth]}</small>}
      </span>
    </span>
  );
}

/** A part of a conversation: the speaker, one sentence of explanation, and the message. */
export function Turn({
  title,
  line,
  children,
  heading,
}: {
  readonly title: ReactNode;
  readonly line: ReactNode;
  readonly children: ReactNode;
  /** A ref to the heading, which can then have the focus. */
  readonly heading?: Ref<HTMLHeadingElement>;
}) {
  return (
    <section className="conv-turn">
      <h3 {...(heading === undefined ? {} : { ref: heading, tabIndex: -1 })}>{title}</h3>
      <p className="conv-line">{line}</p>
      {children}
    </section>
  );
}
