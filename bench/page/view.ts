/**
 * The benchmark's page: one button, one table, two ways to copy it. It imports only types: a module
 * shared with the lab would load the lab's first chunk.
 */
import './page.css';
import type { Measurement } from './measure.ts';
import type { BenchMessage, BenchRequest } from './worker.ts';

/** A device's column of the table. */
interface Column {
  name: string;
  readonly values: Map<string, Measurement>;
  /** Why its numbers are missing or incomplete. */
  failure: string | null;
}

// The content policy requires this; workers come from the page's own directory.
const { trustedTypes } = window as {
  readonly trustedTypes?: {
    createPolicy(name: string, rules: { createScriptURL(address: string): string | null }): unknown;
  };
};
const here = new URL('.', location.href).href;
trustedTypes?.createPolicy('default', {
  createScriptURL: (address) =>
    new URL(address, location.href).href.startsWith(here) ? address : null,
});

const main = document.getElementById('benchmark');
if (main === null) throw new Error('bench.html has no element with the id "benchmark"');
const quick = new URLSearchParams(location.search).has('quick');
const columns: Column[] = [];

const start = button('Measure this machine', 'primary');
const status = element('p', 'status');
status.setAttribute('role', 'status');
const scroller = element('div', 'scroller');
const copies = element('div', 'copies');
copies.hidden = true;
const copyMarkdown = button('Copy as Markdown');
const copyJson = button('Copy as JSON');
copies.append(copyMarkdown, copyJson);
main.append(start, status, scroller, copies);

start.addEventListener('click', () => void measure());
copyMarkdown.addEventListener('click', () => void copy(copyMarkdown, markdown()));
copyJson.addEventListener('click', () => void copy(copyJson, json()));

async function measure(): Promise<void> {
  start.disabled = true;
  copies.hidden = true;
  columns.splice(0);
  for (const device of ['webgpu', 'processor'] as const) await measureOn(device);
  status.textContent = 'Done.';
  copies.hidden = false;
  start.textContent = 'Measure again';
  start.disabled = false;
}

function measureOn(device: BenchRequest['device']): Promise<void> {
  const called = device === 'webgpu' ? 'WebGPU' : 'the processor';
  const column: Column = { name: called, values: new Map(), failure: null };
  columns.push(column);
  status.textContent = `Measuring ${called}…`;
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
  return new Promise((done) => {
    const end = (failure: string | null) => {
      column.failure = failure;
      worker.terminate();
      draw();
      done();
    };
    worker.onerror = ({ message }) => end(message || 'the worker could not be loaded');
    worker.onmessage = ({ data }: MessageEvent<BenchMessage>) => {
      switch (data.kind) {
        case 'device':
          column.name = data.name;
          break;
        case 'measurement':
          column.values.set(data.measurement.what, data.measurement);
          status.textContent = `Measuring ${called}: ${data.measurement.what} done…`;
          break;
        case 'done':
          end(null);
          return;
        case 'failed':
          end(data.reason);
          return;
        default:
          data satisfies never;
      }
      draw();
    };
    worker.postMessage({ device, quick } satisfies BenchRequest);
  });
}

/** The table's rows: each measurement with its unit, and a cell for each device. */
function lines(): { readonly what: string; readonly cells: readonly string[] }[] {
  const measured = new Map(columns.flatMap(({ values }) => [...values]));
  return [...measured.values()].map(({ what, unit }) => ({
    what: `${what}, ${unit}`,
    cells: columns.map(({ values }) => shown(values.get(what)?.value)),
  }));
}

function draw(): void {
  const table = element('table');
  const head = table.createTHead().insertRow();
  for (const text of ['Measured', ...columns.map(({ name }) => name)]) {
    const cell = element('th');
    cell.scope = 'col';
    cell.textContent = text;
    head.append(cell);
  }
  const body = table.createTBody();
  for (const { what, cells } of lines()) {
    const row = body.insertRow();
    const label = element('th');
    label.scope = 'row';
    label.textContent = what;
    row.append(label);
    for (const text of cells) row.insertCell().textContent = text;
  }
  const failures = columns.flatMap(({ name, failure }) => {
    if (failure === null) return [];
    const note = element('p', 'failure');
    note.textContent = `${name}: ${failure}`;
    return [note];
  });
  scroller.replaceChildren(table, ...failures);
}

function markdown(): string {
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [
    row(['measured', ...columns.map(({ name }) => name)]),
    row(['---', ...columns.map(() => '---:')]),
    ...lines().map(({ what, cells }) => row([what, ...cells])),
    '',
    `${navigator.userAgent}, ${new Date().toISOString().slice(0, 10)}`,
  ].join('\n');
}

function json(): string {
  const devices = columns.map(({ name, values, failure }) => ({
    name,
    measurements: [...values.values()],
    ...(failure === null ? {} : { failure }),
  }));
  const { userAgent } = navigator;
  return JSON.stringify({ userAgent, date: new Date().toISOString(), quick, devices }, null, 1);
}

/** Three significant digits; a dash if not measured. */
function shown(value: number | undefined): string {
  return value === undefined || !Number.isFinite(value)
    ? '–'
    : Number(value.toPrecision(3)).toLocaleString('en-US', { maximumFractionDigits: 4 });
}

async function copy(from: HTMLButtonElement, text: string): Promise<void> {
  const label = from.textContent;
  const copied = await navigator.clipboard?.writeText(text).then(
    () => true,
    () => false,
  );
  status.textContent = copied ? `${label}: copied.` : 'The browser blocks access to the clipboard.';
}

function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  className = '',
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  if (className !== '') made.className = className;
  return made;
}

function button(label: string, className = ''): HTMLButtonElement {
  const made = element('button', className);
  made.type = 'button';
  made.textContent = label;
  return made;
}
