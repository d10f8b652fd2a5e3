import { ActionIcon, Button } from '@mantine/core';
import {
  IconArrowsShuffle,
  IconChevronLeft,
  IconChevronRight,
  IconMessage2Question,
} from '@tabler/icons-react';
import { environmentIds } from '../../../envs/registry.ts';
import type { CritiqueItem } from '../../../runs/critique-item.ts';
import { several } from '../../../runs/numbers.ts';
import { useWorlds } from '../../shell/episode/worlds.ts';
import { useLab } from '../../shell/lab/store.ts';
import { Verdict, Words } from './conversation.tsx';
import { criticize } from './critic-store.ts';
import { drawItem, type OpenData, useData } from './dataset-store.ts';
import { criticizableOf, see } from './reading.ts';
import { AnswerSteps, labelColumn, Turn } from './steps.tsx';

/** One item of a data set, with navigation to the others. */
export function DataItem({
  open,
  items,
}: {
  readonly open: OpenData;
  readonly items: readonly CritiqueItem[];
}) {
  const place = useData((data) => data.place);
  const at = Math.min(place, items.length - 1);
  const item = items[at];
  if (item === undefined) return <p className="conv-none">No item matches all filters.</p>;
  const go = (to: number) => useData.setState({ place: to });
  return (
    <article className="conv-read" data-testid="dataset-item">
      <header className="row">
        <ActionIcon
          variant="default"
          aria-label="Previous item"
          disabled={at === 0}
          onClick={() => go(at - 1)}
        >
          <IconChevronLeft size={16} />
        </ActionIcon>
        <span className="conv-place">
          Item {(at + 1).toLocaleString('en-US')} of {items.length.toLocaleString('en-US')}
        </span>
        <ActionIcon
          variant="default"
          aria-label="Next item"
          disabled={at >= items.length - 1}
          onClick={() => go(at + 1)}
        >
          <IconChevronRight size={16} />
        </ActionIcon>
        <Button
          size="compact-sm"
          leftSection={<IconArrowsShuffle size={15} />}
          onClick={() => drawItem(items.length)}
        >
          Random item
        </Button>
        <BeItsCritic open={open} item={item} />
      </header>
      <Item open={open} item={item} />
    </article>
  );
}

/** The current run's actor answers only tasks of the run's environment. */
function BeItsCritic({ open, item }: { readonly open: OpenData; readonly item: CritiqueItem }) {
  const present = useLab((lab) => lab.config.env);
  const { environment } = open;
  const own = JSON.stringify(environment) === JSON.stringify(present);
  return (
    <>
      <Button
        size="compact-sm"
        leftSection={<IconMessage2Question size={15} />}
        disabled={!own}
        onClick={() => {
          if (environment !== null)
            criticize({ environment, task: item.task, answer: item.answer });
        }}
      >
        Play its critic
      </Button>
      {own ? null : (
        <span className="conv-waiting">
          This run’s actor is trained in a different environment.
        </span>
      )}
    </>
  );
}

const sources = {
  sampled: 'The actor generated the whole answer.',
  hot: 'The actor generated the answer, at high temperature from some step on.',
  inserted: 'An error was inserted into a correct answer, and the actor continued from there.',
} as const satisfies Readonly<Record<CritiqueItem['source'], string>>;

function Item({ open, item }: { readonly open: OpenData; readonly item: CritiqueItem }) {
  const { environment } = open;
  const ready = useWorlds(environment === null ? [] : environmentIds(environment));
  const world = environment === null || !ready ? null : criticizableOf(environment);
  const said = { task: item.task, answer: item.answer, critique: item.critique, refinement: null };
  const from = item.from === null ? '' : `This starts at step ${item.from + 1}.`;
  const critique = item.true
    ? 'The critique is the oracle’s.'
    : 'The annotator made a deliberate mistake here.';
  const helped =
    item.filter === null
      ? ''
      : `Of ${several(item.filter.of, 'refinement')} after it, ${item.filter.right} ${item.filter.right === 1 ? 'was' : 'were'} correct.`;
  const heading = (
    <>
      Level {item.level}, <span translate="no">{item.task}</span>
    </>
  );
  if (environment === null || world === null) {
    return (
      <Turn
        title={heading}
        line="This question belongs to no known environment, so the item is shown as plain text."
      >
        <p className="conv-words">{item.question}</p>
        <Words said={said} shown />
      </Turn>
    );
  }
  const seen = see(world, said);
  return (
    <>
      <Turn
        title={heading}
        line={[sources[item.source], from, critique, helped].filter(Boolean).join(' ')}
      >
        <AnswerSteps
          environment={environment}
          task={item.task}
          answer={item.answer}
          asked
          judged
          columns={[labelColumn('The annotator', seen)]}
        />
        <Verdict said={said} seen={seen} />
      </Turn>
      <Words said={said} />
    </>
  );
}
