import './dataset.css';
import { Button } from '@mantine/core';
import { IconDownload, IconFileImport, IconSparkles } from '@tabler/icons-react';
import { useMemo, useRef, useState } from 'react';
import { several, thousands } from '../../../runs/numbers.ts';
import { download } from '../../shell/files/download.ts';
import { useDrop } from '../../shell/files/drop.ts';
import { FileInput } from '../../shell/files/file-input.tsx';
import { ProblemNotice } from '../../shell/notices/notices.tsx';
import { WholeInput } from '../../shell/page/whole-input.tsx';
import { AskedWork } from './asked-work.tsx';
import { type Aspect, aspects, countBy, wantedItems } from './dataset-counts.ts';
import { DataItem } from './dataset-item.tsx';
import { dataFile, makeCritiques, type OpenData, openFile, useData } from './dataset-store.ts';
import { useHasAgent } from './has-agent.ts';

/** Critique data sets: open, create, count, filter and read. */
export function DataSet() {
  const open = useData((data) => data.open);
  const problem = useData((data) => data.problem);
  const [over, dropZone] = useDrop((files) => {
    const [file] = files;
    if (file !== undefined) void openFile(file);
  });
  return (
    <div className={`conv-data${over ? ' conv-drop' : ''}`} data-testid="dataset" {...dropZone}>
      <p className="conv-line">
        A critic trains on correct and wrong answers, each with a critique by an annotator that has
        access to the truth. Create such a data set with this run’s actor, or open a file; you can
        also drop one here.
      </p>
      <Ways />
      <ProblemNotice problem={problem} onClose={() => useData.setState({ problem: null })} />
      <Waiting />
      {open === null ? null : <Opened open={open} />}
    </div>
  );
}

/** Ways to open a data set. */
function Ways() {
  const input = useRef<HTMLInputElement>(null);
  const [count, setCount] = useState(200);
  const [seed, setSeed] = useState(1);
  const busy = useData((data) => data.waiting !== null);
  const open = useData((data) => data.open);
  const hasAgent = useHasAgent();
  return (
    <div className="row">
      <WholeInput label="Critiques" value={count} min={1} max={MOST_MADE} onChange={setCount} />
      <WholeInput label="Seed" value={seed} min={0} max={0xffffffff} onChange={setSeed} />
      <Button
        variant="filled"
        leftSection={<IconSparkles size={15} />}
        disabled={!hasAgent || busy}
        onClick={() => void makeCritiques(count, seed)}
      >
        Create
      </Button>
      <FileInput
        ref={input}
        accept=".jsonl,.ndjson,.json,application/x-ndjson"
        data-testid="dataset-file"
        onFiles={([file]) => void openFile(file)}
      />
      <Button
        leftSection={<IconFileImport size={15} />}
        disabled={busy}
        onClick={() => input.current?.click()}
      >
        Open a file
      </Button>
      {open === null ? null : (
        <Button leftSection={<IconDownload size={15} />} onClick={() => download(dataFile(open))}>
          Download
        </Button>
      )}
    </div>
  );
}

/** Maximum number of critiques created on the page; the command has no such limit. */
const MOST_MADE = 20_000;

function Waiting() {
  const waiting = useData((data) => data.waiting);
  return (
    <AskedWork
      phase="collect"
      doing="The actor answers, and the annotator writes critiques."
      giveUp={waiting === null || waiting.for === 'file' ? null : waiting.giveUp}
    >
      {waiting?.for === 'file' ? `Reading the file ${waiting.name} …` : null}
    </AskedWork>
  );
}

function Opened({ open }: { readonly open: OpenData }) {
  const wanted = useData((data) => data.wanted);
  const items = useMemo(() => wantedItems(open.items, wanted), [open, wanted]);
  return (
    <>
      <p className="conv-data-name" data-testid="dataset-name">
        <b>{open.name}</b>: {thousands(open.items.length)}{' '}
        {open.items.length === 1 ? 'critique' : 'critiques'}
        {items.length === open.items.length ? '' : `, ${thousands(items.length)} selected`}
      </p>
      <p className="conv-line">{left(open)}</p>
      <div className="conv-aspects">
        {aspects.map((aspect) => (
          <AspectCounts key={aspect.name} aspect={aspect} open={open} />
        ))}
      </div>
      <DataItem open={open} items={items} />
    </>
  );
}

/** Says what was left out when the data set was created. */
function left({ counts, items }: OpenData): string {
  if (counts === null) {
    return items.some(({ filter }) => filter !== null)
      ? 'Critiques that the filter dropped are not in the file. Each remaining critique includes its number of correct refinements.'
      : 'The file was not filtered by how much critiques help the actor.';
  }
  const { asked, duplicates, cancelled, surplus, filtered } = counts;
  const dropped = filtered.map((n, i) => `level ${i + 1}: ${thousands(n)}`).join(', ');
  const others = `left out: ${several(duplicates, 'duplicate')}, ${several(cancelled, 'answer')} with errors that cancel out, ${thousands(surplus)} more than requested`;
  const byFilter = filtered.some((n) => n > 0)
    ? `dropped by the filter: ${dropped}`
    : 'none dropped by the filter';
  return `Created from ${several(asked, 'answer')}; ${others}; ${byFilter}.`;
}

/** The items by one aspect; pressing a kind filters by it. */
function AspectCounts({ aspect, open }: { readonly aspect: Aspect; readonly open: OpenData }) {
  const { name, title, line, label } = aspect;
  const wanted = useData((data) => data.wanted);
  const others = useMemo(() => {
    const { [name]: _, ...rest } = wanted;
    return wantedItems(open.items, rest);
  }, [name, open, wanted]);
  const counts = countBy(aspect, others);
  const most = Math.max(1, ...counts.map(({ count }) => count));
  return (
    <fieldset className="conv-aspect" data-aspect={name}>
      <legend title={line}>{title}</legend>
      {counts.map(({ kind, count }) => (
        <button
          key={kind}
          type="button"
          aria-pressed={wanted[name] === kind}
          onClick={() => {
            const { [name]: before, ...rest } = wanted;
            useData.setState({
              wanted: before === kind ? rest : { ...rest, [name]: kind },
              place: 0,
            });
          }}
        >
          <span>{label(kind)}</span>
          <i aria-hidden style={{ width: `${(100 * count) / most}%` }} />
          <b>{thousands(count)}</b>
        </button>
      ))}
      <small>{line}</small>
    </fieldset>
  );
}
