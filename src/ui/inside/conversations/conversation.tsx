import { Button } from '@mantine/core';
import { IconMessage2Question } from '@tabler/icons-react';
import type { Criticizable } from '../../../agents/modes/prompts.ts';
import type { EnvironmentSettings } from '../../../envs/registry.ts';
import type { KeptConversation } from '../../../runs/conversation.ts';
import { criticize } from './critic-store.ts';
import { type Seen, see } from './reading.ts';
import { AnswerSteps, labelColumn, Turn } from './steps.tsx';
import { flipLines, rightness } from './words.ts';
import { Worth } from './worth.tsx';

interface ConversationProps {
  readonly environment: EnvironmentSettings;
  readonly world: Criticizable;
  readonly said: KeptConversation;
  readonly group: readonly KeptConversation[];
}

/** One conversation, from its question to what the critic learned. */
export function Conversation({ environment, world, said, group }: ConversationProps) {
  const { task, answer, refinement } = said;
  const seen = see(world, said);
  const columns = said.critique === null ? [] : [labelColumn('The critic', seen)];
  return (
    <article className="conv-read" data-testid="conversation" data-flip={seen.flip}>
      <header className="conv-head">
        <p>
          Iteration {said.iteration}, level {seen.level} <small>{task}</small>
        </p>
        <Button
          size="compact-sm"
          leftSection={<IconMessage2Question size={15} />}
          onClick={() => criticize({ environment, task, answer })}
        >
          Play its critic
        </Button>
      </header>
      <Turn
        title="The answer"
        line="The actor generated this answer. The oracle provides the truth, that is, the correct result of every step. The critic does not see it and labels the steps up to the first one it considers wrong. “Carried” means: wrong only because of an earlier step."
      >
        <AnswerSteps {...{ environment, task, answer, columns }} asked judged />
        <Verdict said={said} seen={seen} />
      </Turn>
      {refinement === null ? (
        <p className="conv-line">
          {said.critique === null
            ? 'A correct answer gets no critique here: there is nothing to fix.'
            : 'In stage I the critic is rewarded for its verdict alone, so the actor does not answer again.'}
        </p>
      ) : (
        <Turn
          title="The refinement"
          line="The actor reads its answer and the critique, and answers again. A bar marks changed lines."
        >
          <AnswerSteps
            {...{ environment, task }}
            answer={refinement}
            judged
            changed={seen.changed}
          />
          <p className={`conv-flip conv-${seen.flip}`} data-testid="flip">
            {flipLines[seen.flip]}
          </p>
        </Turn>
      )}
      <Worth said={said} seen={seen} group={group} />
      <Words said={said} />
    </article>
  );
}

/** Whether the answer is correct, and the critique's verdict on it. */
export function Verdict({
  said,
  seen,
}: {
  readonly said: { readonly critique: string | null };
  readonly seen: Seen;
}) {
  const truth = `The answer is ${rightness(seen.right)}.`;
  if (said.critique === null) return <p className="conv-verdict">{truth}</p>;
  const { read, verdict } = seen;
  return (
    <p className={`conv-verdict conv-verdict-${verdict}`} data-testid="verdict">
      {truth}{' '}
      {read === null
        ? 'The critique cannot be parsed, which counts as a wrong verdict.'
        : `The critique says “${rightness(read.right)}”; the verdict is ${verdict === 'true' ? 'true' : 'false'}.`}
    </p>
  );
}

/** The full text, token by token, in the agents' own language. */
export function Words({
  said: { answer, critique, refinement },
  shown = false,
}: {
  readonly said: Pick<KeptConversation, 'answer' | 'critique' | 'refinement'>;
  /** Rendered only once opened. */
  readonly shown?: boolean;
}) {
  const written = [
    ['Answer', answer],
    ['Critique', critique],
    ['Refinement', refinement],
  ] as const;
  return (
    <details className="conv-written" open={shown}>
      <summary>Full text</summary>
      <dl>
        {written.map(([who, words]) =>
          words === null ? null : (
            <div key={who}>
              <dt>{who}</dt>
              <dd>{words === '' ? 'nothing' : words}</dd>
            </div>
          ),
        )}
      </dl>
    </details>
  );
}
