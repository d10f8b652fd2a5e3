import { Button } from '@mantine/core';
import { IconArrowsDiff, IconCheck, IconScissors, IconX } from '@tabler/icons-react';
import { useEffect, useRef } from 'react';
import type { GroupMember, InspectedGroup, Inspection } from '../../../runs/inspection.ts';
import { several } from '../../../runs/numbers.ts';
import type { Measure } from '../../shell/episode/inspection.ts';
import { focusIfLost } from '../focus.ts';
import {
  exact,
  firstDifference,
  heatOf,
  measureNames,
  measureText,
  type Scale,
  signed,
} from './measures.ts';
import { heatStyle } from './token.tsx';
import { memberEquation } from './worked.tsx';

interface SheetProps {
  readonly group: InspectedGroup;
  readonly inspection: Inspection;
  readonly others: ReadonlyMap<number, Inspection>;
  readonly measure: Measure;
  readonly scale: Scale;
  readonly onOpen: (number: number) => void;
  readonly onCompare: (number: number) => void;
}

/** The episodes of one task in rows: rewards, advantages and every action. */
export function Sheet({ group, inspection, others, ...props }: SheetProps) {
  const compared = group.members.some(({ baseline }) => baseline !== null);
  return (
    <div className="table-scroll">
      <table className="sheet" aria-label="The episodes of the group" data-testid="group-sheet">
        <thead>
          <tr>
            <th scope="col">Episode</th>
            <th scope="col">Reward R</th>
            <th scope="col">{compared ? 'Advantage A' : 'Mean advantage'}</th>
            <th scope="col">Actions, turn by turn</th>
            <th scope="col">
              <span className="visually-hidden">Compare</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {group.members.map((member, place) => (
            <Row
              key={place}
              {...props}
              member={member}
              place={place}
              group={group}
              chosen={inspection}
              shown={
                member.number === null
                  ? null
                  : member.number === inspection.number
                    ? inspection
                    : (others.get(member.number) ?? null)
              }
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface RowProps extends Omit<SheetProps, 'inspection' | 'others'> {
  readonly member: GroupMember;
  readonly place: number;
  readonly chosen: Inspection;
  /** Null until it has loaded, or if it is no longer kept. */
  readonly shown: Inspection | null;
}

function Row({ group, member, place, chosen, shown, measure, scale, onOpen, onCompare }: RowProps) {
  const { number, reward, advantage } = member;
  const own = number === chosen.number;
  const equation = memberEquation(member, group);
  const heading = useRef<HTMLTableCellElement>(null);
  // The button that opened the episode has disappeared.
  useEffect(() => {
    if (own) focusIfLost(heading.current);
  }, [own]);
  return (
    <tr className={own ? 'sheet-own' : ''} {...(own ? { 'aria-current': 'true' as const } : {})}>
      <th ref={heading} scope="row" tabIndex={-1}>
        {number === null || own ? (
          <span>{place + 1}</span>
        ) : (
          <button
            type="button"
            className="fold"
            onClick={() => onOpen(number)}
            aria-label={`Open episode ${place + 1}`}
          >
            {place + 1}
          </button>
        )}{' '}
        <OutcomeMark member={member} />
      </th>
      <td className="amount">{exact(reward)}</td>
      <td className="sheet-advantage">
        <b className={advantage > 0 ? 'up' : advantage < 0 ? 'down' : ''}>{signed(advantage)}</b>
        {equation === null || equation === '0' ? null : <small>{equation}</small>}
      </td>
      <td>
        {shown === null ? (
          <span className="details-note">{number === null ? 'No longer kept.' : 'Loading …'}</span>
        ) : (
          <Actions shown={shown} chosen={chosen} measure={measure} scale={scale} />
        )}
      </td>
      <td>
        {number === null || own ? null : (
          <Button
            size="compact-xs"
            variant="subtle"
            leftSection={<IconArrowsDiff size={14} />}
            onClick={() => onCompare(number)}
            aria-label={`Compare with episode ${place + 1}`}
          >
            Compare
          </Button>
        )}
      </td>
    </tr>
  );
}

/** The outcome of an episode, as a labeled symbol. */
export function OutcomeMark({
  member,
}: {
  readonly member: Pick<GroupMember, 'success' | 'truncated' | 'turns'>;
}) {
  const { success, truncated, turns } = member;
  const words = success ? 'solved' : truncated ? 'truncated by the horizon' : 'failed';
  const Icon = success ? IconCheck : truncated ? IconScissors : IconX;
  return (
    <span
      className={`mark mark-${success ? 'solved' : 'failed'}`}
      title={`${words}, ${several(turns, 'turn')}`}
    >
      <Icon size={15} aria-hidden />
      <span className="visually-hidden">
        {words}, {several(turns, 'turn')}
      </span>
    </span>
  );
}

/** The actions of an episode, each in the average color of its tokens. */
function Actions({
  shown,
  chosen,
  measure,
  scale,
}: Pick<RowProps, 'measure' | 'scale' | 'chosen'> & { readonly shown: Inspection }) {
  const differs =
    shown === chosen ? null : firstDifference(chosen.record.turns, shown.record.turns);
  return (
    <ol className="sheet-actions">
      {shown.record.turns.map(({ action }, turn) => {
        const tokens = shown.tokens.filter((token) => token.turn === turn);
        const strongest = tokens
          .map((token) => heatOf(token, measure, scale))
          .reduce((most, heat) => (heat.amount > most.amount ? heat : most), {
            hue: 'none',
            amount: 0,
          });
        const values = tokens.map((token) => measureText(token, measure)).join(', ');
        return (
          <li
            key={turn}
            className={`itoken-plain heat-${strongest.hue}${turn === differs ? ' sheet-differs' : ''}`}
            style={heatStyle(strongest.amount)}
            title={`Action in turn ${turn + 1}: “${action}”. ${measureNames[measure]}: ${values}`}
          >
            {turn === differs ? <small>First difference </small> : null}
            <span translate="no">{action === '' ? '…' : action}</span>
            <span className="visually-hidden"> {values}</span>
          </li>
        );
      })}
    </ol>
  );
}
