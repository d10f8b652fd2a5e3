import { Autocomplete, Button, SegmentedControl, Select } from '@mantine/core';
import { IconRefresh, IconScale, IconSparkles } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { type FaultKind, faultKinds, type JudgedStep } from '../../../envs/criticism.ts';
import type { Refinement } from '../../../lab/questions.ts';
import { useLab } from '../../shell/lab/store.ts';
import { ProblemNotice } from '../../shell/notices/notices.tsx';
import { focusIfLost } from '../focus.ts';
import {
  askForAnswer,
  type Criticized,
  setDraft,
  tryAgain,
  useCritic,
  weigh,
} from './critic-store.ts';
import { verdictOf } from './draft.ts';
import { useHasAgent } from './has-agent.ts';
import { Choice } from './list.tsx';
import { criticizableOf, faultNames, see } from './reading.ts';
import { AnswerSteps, labelColumn, Turn } from './steps.tsx';
import { flipLines, rightness } from './words.ts';

/** The user takes the role of the critic. */
export function Critic({ levels }: { readonly levels: number }) {
  const { about, weighed, problem } = useCritic();
  return (
    <div className="conv-critic" data-testid="critic">
      <p className="conv-line">
        Read an answer as a critic does, without the truth: mark the first wrong step and give its
        correct result. Then see whether the current actor does better with your critique than with
        its critic’s.
      </p>
      <Fresh levels={levels} />
      <ProblemNotice problem={problem} onClose={() => useCritic.setState({ problem: null })} />
      {about === null ? (
        <p className="conv-none">
          Request an answer to a new task, or choose “Play its critic” beside any answer.
        </p>
      ) : weighed === null ? (
        <Desk about={about} />
      ) : (
        <Weighed about={about} weighed={weighed} />
      )}
    </div>
  );
}

function Fresh({ levels }: { readonly levels: number }) {
  const [level, setLevel] = useState<number | null>(null);
  const asking = useCritic((state) => state.asking);
  const hasAgent = useHasAgent();
  return (
    <div className="row">
      <Choice
        label="Level of the task"
        all="All levels"
        value={level}
        options={Array.from({ length: levels }, (_, i) => [i + 1, `Level ${i + 1}`] as const)}
        onChange={(value) => setLevel(value === null ? null : Number(value))}
      />
      <Button
        leftSection={<IconSparkles size={15} />}
        disabled={!hasAgent || asking !== null}
        onClick={() => void askForAnswer(level)}
      >
        Request an answer
      </Button>
      <span className="conv-waiting" role="status">
        {!hasAgent
          ? 'The actor can answer after its supervised training, from the first iteration on.'
          : asking === 'answer'
            ? 'Requested. The actor answers after the current iteration.'
            : asking === 'weigh'
              ? 'Requested. The actor reads your critique after the current iteration.'
              : ''}
      </span>
    </div>
  );
}

/** An answer whose steps the user labels. */
function Desk({ about }: { readonly about: Criticized }) {
  const { environment, task, answer } = about;
  const asking = useCritic((state) => state.asking);
  const draft = useCritic((state) => state.draft);
  const hasAgent = useHasAgent();
  const world = criticizableOf(environment);
  if (world === null) return null;
  const { steps } = world.criticism.judge(task, answer);
  const verdict = draft.verdict ?? verdictOf(draft);
  return (
    <Turn
      // The pressed button has disappeared with the view before this one.
      heading={focusIfLost}
      title="Your critique"
      line="Start at the first step. A critique ends at the first step that it calls wrong."
    >
      <AnswerSteps
        {...{ environment, task, answer }}
        asked
        judged={false}
        columns={[
          {
            title: 'You',
            cells: steps.map((step, i) => (
              <StepLabel key={i} place={i} step={step} values={world.criticism.values} />
            )),
          },
        ]}
      />
      <div className="row">
        <span id="conv-your-verdict">The answer is</span>
        <SegmentedControl
          aria-labelledby="conv-your-verdict"
          value={rightness(verdict)}
          onChange={(value) => setDraft({ ...draft, verdict: value === 'correct' })}
          data={['correct', 'wrong']}
        />
        <Button
          variant="filled"
          leftSection={<IconScale size={15} />}
          disabled={!hasAgent || asking !== null}
          onClick={() => void weigh()}
        >
          Show the actor’s refinement
        </Button>
      </div>
    </Turn>
  );
}

/** The user's label of one step. */
function StepLabel({
  place,
  step,
  values,
}: {
  readonly place: number;
  readonly step: JudgedStep;
  readonly values: readonly string[];
}): ReactNode {
  const draft = useCritic((state) => state.draft);
  const advice = useLab((lab) => lab.config.critique.advice);
  const { bad } = draft;
  if (bad !== null && place > bad.step) return <span className="conv-unseen">not labeled</span>;
  const isBad = bad?.step === place;
  const name = step.text === '' ? 'the missing line' : `line ${place + 1}`;
  return (
    <span className="row conv-mine">
      <SegmentedControl
        aria-label={`Your label for ${name}`}
        value={isBad ? 'wrong' : 'ok'}
        onChange={(value) =>
          setDraft({
            ...draft,
            bad:
              value === 'ok'
                ? null
                : { step: place, fault: step.text === '' ? 'missing' : 'result', value: '' },
          })
        }
        data={['ok', 'wrong']}
      />
      {!isBad || bad === null || advice === 'verdict' || advice === 'place' ? null : (
        <Select
          aria-label="Error type"
          value={bad.fault}
          onChange={(value) =>
            setDraft({ ...draft, bad: { ...bad, fault: faultOf(value) ?? bad.fault } })
          }
          data={faultKinds.map((kind) => ({ value: kind, label: faultNames[kind] }))}
        />
      )}
      {!isBad || bad === null || advice !== 'value' ? null : (
        <Autocomplete
          size="xs"
          aria-label="Correct value"
          placeholder="should be"
          value={bad.value}
          onChange={(value) => setDraft({ ...draft, bad: { ...bad, value } })}
          data={values}
        />
      )}
    </span>
  );
}

function faultOf(value: string | null): FaultKind | undefined {
  return faultKinds.find((kind) => kind === value);
}

const authors = {
  visitor: 'You',
  critic: 'The critic',
  oracle: 'The oracle',
} as const satisfies Readonly<Record<Refinement['author'], string>>;

/** The three critiques, compared with the truth, and the actor's refinement after each. */
function Weighed({
  about: { environment, task, answer },
  weighed,
}: {
  readonly about: Criticized;
  readonly weighed: readonly Refinement[];
}) {
  const world = criticizableOf(environment);
  if (world === null) return null;
  const all = weighed.map((one) => ({ ...one, seen: see(world, { task, answer, ...one }) }));
  return (
    <>
      <Turn
        heading={focusIfLost}
        title="Three critiques of one answer"
        line="Yours, the critic’s and the oracle’s, which is correct. All three are in the critics’ language."
      >
        <AnswerSteps
          {...{ environment, task, answer }}
          asked
          judged
          columns={all
            .filter(({ author }) => author !== 'oracle')
            .map(({ author, seen }) => labelColumn(authors[author], seen))}
        />
      </Turn>
      <Turn
        title="Refinements"
        line="The same actor reads the same answer with each critique and answers again with greedy decoding."
      >
        <div className="conv-three">
          {all.map(({ author, seen, refinement }) => (
            <section key={author} className="conv-one" data-author={author} data-flip={seen.flip}>
              <h4>
                {authors[author]}
                <small>
                  {seen.read === null
                    ? 'unreadable'
                    : `says ${rightness(seen.read.right)}; the verdict is ${seen.verdict}`}
                </small>
              </h4>
              <AnswerSteps
                {...{ environment, task }}
                answer={refinement}
                judged
                changed={seen.changed}
              />
              <p className={`conv-flip conv-${seen.flip}`}>{flipLines[seen.flip]}</p>
            </section>
          ))}
        </div>
      </Turn>
      <div className="row">
        <Button leftSection={<IconRefresh size={15} />} onClick={tryAgain}>
          Critique it again
        </Button>
      </div>
    </>
  );
}
