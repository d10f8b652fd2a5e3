import './inspector.css';
import { Modal, SegmentedControl, Select } from '@mantine/core';
import { useEffect, useMemo } from 'react';
import { type Against, estimators } from '../../../algorithms/advantages.ts';
import { titleOf } from '../../../envs/registry.ts';
import type { Inspection } from '../../../runs/inspection.ts';
import { several } from '../../../runs/numbers.ts';
import { outcome } from '../../shell/episode/dialogue.tsx';
import {
  closeInspector,
  type InspectorView,
  openInspector,
  showInspectedTurn,
  useInspector,
} from '../../shell/episode/inspection.ts';
import { Details } from './details.tsx';
import { Legend } from './legend.tsx';
import { exact, firstDifference, scaleOf } from './measures.ts';
import { compareWith, loadGroup, showMeasure, showToken, showView } from './selection.ts';
import { Sheet } from './sheet.tsx';
import { Turns } from './turns.tsx';
import { Scrub, View } from './view.tsx';
import { GroupWorking } from './worked.tsx';

const views: readonly { readonly value: InspectorView; readonly label: string }[] = [
  { value: 'episode', label: 'Episode' },
  { value: 'group', label: 'Group' },
  { value: 'compare', label: 'Compare' },
];

/** Says what the rewards are compared with, by the kind of baseline. */
const lessons: Readonly<Record<Against, string>> = {
  group: 'Each episode is compared with the others.',
  greedy: 'Each episode is compared with the greedy episode.',
  values: 'Each token is compared with the value head’s estimate, not with the other episodes.',
  nothing: 'Each episode is weighted by its own reward, regardless of the others.',
  batch: 'Each token’s reward to go is normalized over all tokens of the iteration.',
};

/** The episode inspector, over the whole page. */
export function InspectorPanel() {
  const inspection = useInspector((state) => state.inspection);
  // The dialog is mounted open and unmounted to close it, so it does not return the focus.
  useEffect(() => {
    const opener = document.activeElement;
    return () => {
      requestAnimationFrame(() => {
        if (opener instanceof HTMLElement) opener.focus({ preventScroll: true });
      });
    };
  }, []);
  if (inspection === null) return null;
  const { record, iteration } = inspection;
  return (
    <Modal
      opened
      onClose={closeInspector}
      fullScreen
      transitionProps={{ duration: 0 }}
      closeButtonProps={{ 'aria-label': 'Close the inspector' }}
      title={
        <span className="inspector-title">
          {record.taskId}
          <small>
            {titleOf(record.environment.id)}, iteration {iteration}. {outcome(record)}
          </small>
        </span>
      }
      classNames={{ content: 'inspector', body: 'inspector-body', header: 'inspector-header' }}
    >
      <Inside inspection={inspection} />
    </Modal>
  );
}

function Inside({ inspection }: { readonly inspection: Inspection }) {
  const { view, measure, others } = useInspector();
  const { group } = inspection;
  const kept = group?.members.some(({ number }) => number !== null && number !== inspection.number);
  useEffect(() => {
    if (inspection.group !== null) void loadGroup();
  }, [inspection]);
  // All episodes side by side share a scale, so that a color means the same value in each.
  const tokens = useMemo(
    () => [inspection, ...others.values()].flatMap((one) => one.tokens),
    [inspection, others],
  );
  const scale = useMemo(() => scaleOf(tokens, measure), [tokens, measure]);
  const marks = (['dual', 'picked'] as const).filter((held) =>
    tokens.some(({ update }) => update?.held === held),
  );
  return (
    <>
      <div className="row inspector-bar">
        <SegmentedControl
          size="sm"
          aria-label="View"
          value={view}
          onChange={showView}
          data={views.map((one) => ({
            ...one,
            disabled:
              (one.value === 'group' && group === null) || (one.value === 'compare' && !kept),
          }))}
        />
        <Legend measure={measure} scale={scale} marks={marks} onChange={showMeasure} />
      </div>
      {view === 'group' && group !== null ? (
        <section className="panel inspector-group" aria-label="The group">
          <p className="inspector-lead">
            {several(group.members.length, 'episode')} of the same task, played by the same policy.{' '}
            {lessons[estimators[group.estimator].against]}
          </p>
          <GroupWorking group={group} />
          <Sheet
            group={group}
            inspection={inspection}
            others={others}
            measure={measure}
            scale={scale}
            onOpen={(number) => void openInspector(number)}
            onCompare={compareWith}
          />
        </section>
      ) : view === 'compare' ? (
        <Compare inspection={inspection} scale={scale} />
      ) : (
        <Episode inspection={inspection} scale={scale} />
      )}
    </>
  );
}

type Scaled = { readonly inspection: Inspection; readonly scale: ReturnType<typeof scaleOf> };

/** One episode: its image, its dialogue and the selected token. */
function Episode({ inspection, scale }: Scaled) {
  const { measure, token, hovered, turn, alternatives, withoutAlternatives } = useInspector();
  return (
    <div className="inspector-episode">
      <div className="panel inspector-picture">
        <View record={inspection.record} turn={turn} />
        <Scrub turn={turn} length={inspection.record.turns.length} />
        <p className="keys">
          <kbd>←</kbd> <kbd>→</kbd> token by token, <kbd>↑</kbd> <kbd>↓</kbd> turn by turn, while a
          token has focus.
        </p>
      </div>
      <Turns
        inspection={inspection}
        measure={measure}
        scale={scale}
        token={token}
        turn={turn}
        label="Dialogue, turn by turn"
        onToken={showToken}
        onHover={(over) => useInspector.setState({ hovered: over })}
        onTurn={showInspectedTurn}
      />
      <Details
        inspection={inspection}
        token={hovered ?? token}
        alternatives={alternatives}
        withoutAlternatives={withoutAlternatives}
      />
    </div>
  );
}

/** Two episodes of a group side by side. */
function Compare({ inspection, scale }: Scaled) {
  const { measure, turn, other, others } = useInspector();
  const choices = (inspection.group?.members ?? []).flatMap(({ number, reward }, place) =>
    number === null || number === inspection.number
      ? []
      : { value: String(number), label: `Episode ${place + 1}, reward ${exact(reward)}` },
  );
  const chosen = choices.find(({ value }) => value === String(other)) ?? choices[0];
  const beside = chosen === undefined ? undefined : others.get(Number(chosen.value));
  const differs =
    beside === undefined ? null : firstDifference(inspection.record.turns, beside.record.turns);
  const own = (inspection.group?.members ?? []).findIndex(
    ({ number }) => number === inspection.number,
  );
  const length = Math.max(inspection.record.turns.length, beside?.record.turns.length ?? 0);
  const setTurn = (to: number) => useInspector.setState({ turn: to });
  return (
    <div className="inspector-compare">
      <div className="compare-bar">
        <Scrub turn={Math.min(turn, length)} length={length} onTurn={setTurn} />
        <p data-testid="difference">
          {beside === undefined
            ? 'Loading the other episode.'
            : differs === null
              ? 'All turns are the same.'
              : differs === 0
                ? 'They differ from the first turn on.'
                : `They are the same for ${several(differs, 'turn')} and differ from turn ${differs + 1} on.`}
        </p>
      </div>
      {[inspection, beside].map((one, side) => (
        <section key={side} className="panel compare-side">
          <header>
            {side === 0 ? (
              <h3>Episode {own + 1}</h3>
            ) : (
              <Select
                aria-label="The other episode"
                data={choices}
                value={chosen?.value ?? null}
                onChange={(value) => {
                  if (value !== null) compareWith(Number(value));
                }}
              />
            )}
            {one === undefined ? null : <span>{outcome(one.record)}</span>}
          </header>
          {one === undefined ? null : (
            <>
              <View record={one.record} turn={Math.min(turn, one.record.turns.length)} />
              <Turns
                inspection={one}
                measure={measure}
                scale={scale}
                token={null}
                turn={turn}
                differs={differs}
                label={side === 0 ? 'The episode' : 'The other episode'}
                onToken={(place) => setTurn(one.tokens[place]?.turn ?? 0)}
                onTurn={setTurn}
              />
            </>
          )}
        </section>
      ))}
    </div>
  );
}
