import type { CSSProperties } from 'react';
import { ViewRoot } from '../view-parts.tsx';
import type { EnvironmentView, EnvironmentViewProps } from '../views.ts';
import { iconOf } from './icons.ts';
import {
  describeScene,
  isTextCraftState,
  type TextCraftScene,
  type TreeItem,
  textCraftScene,
} from './scene.ts';
import './view.css';

/** Width and height of an item's place in drawing units. */
const PLACE = { width: 104, height: 74 };
/** Side of a tile, and its distance from the top of its place. */
const TILE = 42;
const TOP = 7;
const tile = { x: -TILE / 2, y: TOP, width: TILE, height: TILE, rx: 8 };
/** Maximum characters of a name on one line; longer names take two. */
const LINE = 13;
/** Maximum pixels per unit. */
const SCALE = 1.3;

const custom = (properties: Readonly<Record<`--${string}`, string>>) => properties as CSSProperties;

/** The goal with its crafting tree, the inventory, and the reply to the last action. */
function TextCraftView({ options, taskId, state, glide }: EnvironmentViewProps) {
  if (!isTextCraftState(state)) return null;
  const scene = textCraftScene(options, taskId, state);
  const { layers, inventory, distractors, answer, refused, turn, turnLimit } = scene;
  return (
    <ViewRoot
      name="textcraft"
      description={describeScene(scene)}
      scene={scene}
      style={custom({ '--textcraft-glide': `${glide}ms` })}
    >
      <Tree scene={scene} glide={glide} />
      {/* From left to right, a long chain is too wide for a narrow page. */}
      {layers.length > 4 ? <Tree scene={scene} glide={glide} upright /> : null}
      <div className="textcraft-keys" aria-hidden="true">
        <Key color="var(--p-aegean)">can be collected</Key>
        <Key color="var(--p-terracotta)">can be crafted now</Key>
        <Key color="var(--p-olive)">enough</Key>
      </div>
      <div className="textcraft-held">
        <span className="textcraft-label">Held</span>
        {inventory.length === 0 ? <span className="textcraft-label">nothing yet</span> : null}
        {inventory.map(({ name, count }) => (
          <span key={name} className="textcraft-chip">
            <Icon name={name} />
            <span>
              <b>{count}</b> {name}
            </span>
          </span>
        ))}
      </div>
      {distractors.length === 0 ? null : (
        <div className="textcraft-others">
          <span className="textcraft-label">Listed but not needed</span>
          {distractors.map((name, i) => (
            // Two commands can make the same item; their order is constant within a task.
            <span key={`${i} ${name}`} className="textcraft-chip">
              <Icon name={name} />
              {name}
            </span>
          ))}
        </div>
      )}
      <div className="textcraft-answer">
        <span className={refused ? 'textcraft-said textcraft-refused' : 'textcraft-said'}>
          {answer === '' ? 'The agent has read the commands and the goal.' : answer}
        </span>
        <span className="textcraft-turn">
          {turn} of {turnLimit} turns used
        </span>
      </div>
    </ViewRoot>
  );
}

interface TreeProps {
  readonly scene: TextCraftScene;
  readonly glide: number;
  /** Whether the tree grows from the bottom to the goal at the top. */
  readonly upright?: boolean;
}

/** The crafting tree: products come after their ingredients. */
function Tree({ scene: { layers, edges, goal, width }, glide, upright = false }: TreeProps) {
  const last = layers.length - 1;
  const columns = upright ? width : layers.length;
  const rows = upright ? layers.length : width;
  const places = new Map(
    layers.flatMap((layer, level) =>
      layer.map((item) => {
        const [column, row] = upright
          ? [item.column, level]
          : [last - level + 0.5, item.column - 0.5];
        return [item.item, { item, x: column * PLACE.width, y: row * PLACE.height }] as const;
      }),
    ),
  );
  const long = layers.length > 4;
  return (
    <svg
      className={`textcraft-tree${upright ? ' textcraft-upright' : long ? ' textcraft-long' : ''}`}
      viewBox={`0 0 ${columns * PLACE.width} ${rows * PLACE.height}`}
      style={{ maxWidth: columns * PLACE.width * SCALE }}
      aria-hidden="true"
    >
      {edges.map(({ from, to }) => {
        const after = places.get(from);
        const before = places.get(to);
        if (after === undefined || before === undefined) return null;
        return (
          <path
            key={`${from} ${to}`}
            className={`textcraft-edge${before.item.lacking === 0 ? ' textcraft-edge-met' : ''}`}
            d={upright ? risingCurve(before, after) : levelCurve(before, after)}
            style={{ transitionDuration: `${glide}ms` }}
          />
        );
      })}
      {[...places.values()].map(({ item, x, y }) => (
        <g key={item.item} transform={`translate(${x} ${y})`}>
          <Item item={item} goal={item.name === goal} glide={glide} />
        </g>
      ))}
    </svg>
  );
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/** From the right side of one tile to the left side of another. */
function levelCurve(before: Point, after: Point): string {
  const [x1, x2] = [before.x + TILE / 2, after.x - TILE / 2];
  const [y1, y2] = [before.y + TOP + TILE / 2, after.y + TOP + TILE / 2];
  const bend = PLACE.width - TILE;
  return `M${x1} ${y1}C${x1 + bend / 2} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`;
}

/** From the top of one tile to the bottom of the name below another. */
function risingCurve(before: Point, after: Point): string {
  const [y1, y2] = [before.y + TOP, after.y + TOP + TILE];
  const bend = (y1 + y2) / 2;
  return `M${before.x} ${y1}C${before.x} ${bend} ${after.x} ${bend} ${after.x} ${y2}`;
}

function Key({ color, children }: { readonly color: string; readonly children: string }) {
  return (
    <span className="textcraft-key" style={custom({ '--textcraft-key': color })}>
      {children}
    </span>
  );
}

interface ItemProps {
  readonly item: TreeItem;
  readonly goal: boolean;
  readonly glide: number;
}

/** An item of the tree: a tile that fills from below as the item is made. */
function Item({ item, goal, glide }: ItemProps) {
  const { name, kind, asked, lacking, status, source } = item;
  const share = asked === 0 ? 1 : (asked - lacking) / asked;
  const lines = linesOf(name);
  const count = goal && lacking === 0 ? '✓' : `${asked - lacking}/${asked}`;
  const badge = 8 + 5.6 * count.length;
  const below = TOP + TILE + 11;
  return (
    <g className={`textcraft-${status} textcraft-${source}${goal ? ' textcraft-goal' : ''}`}>
      {goal ? (
        <rect
          className={`textcraft-wreath${lacking === 0 ? ' textcraft-wreath-reached' : ''}`}
          x={-TILE / 2 - 3}
          y={TOP - 3}
          width={TILE + 6}
          height={TILE + 6}
          rx={11}
        />
      ) : null}
      <rect className="textcraft-tile" {...tile} style={{ transitionDuration: `${glide}ms` }} />
      <rect
        className="textcraft-fill"
        {...tile}
        style={{ transform: `scaleY(${share})`, transitionDuration: `${glide}ms` }}
      />
      <g transform={`translate(-15 ${TOP + (TILE - 30) / 2}) scale(1.25)`}>
        <IconParts name={name} />
      </g>
      <rect
        className="textcraft-badge"
        x={TILE / 2 + 3 - badge}
        y={1}
        width={badge}
        height={13}
        rx={6.5}
      />
      <text className="textcraft-count" x={TILE / 2 + 3 - badge / 2} y={10.8}>
        {count}
      </text>
      {lines.map((line, i) => (
        <text key={line} className="textcraft-name" y={below + i * 10.5}>
          {line}
        </text>
      ))}
      {kind === null || lines.length > 1 ? null : (
        <text className="textcraft-kind" y={below + 10}>
          as <tspan {...{ translate: 'no' }}>{kind}</tspan>
        </text>
      )}
    </g>
  );
}

/** A name on one line, or split at the space nearest to its middle. */
function linesOf(name: string): readonly string[] {
  if (name.length <= LINE) return [name];
  const spaces = Array.from(name.matchAll(/ /g), ({ index }) => index);
  const [first] = spaces.sort(
    (a, b) => Math.abs(a - name.length / 2) - Math.abs(b - name.length / 2),
  );
  return first === undefined ? [name] : [name.slice(0, first), name.slice(first + 1)];
}

function Icon({ name }: { readonly name: string }) {
  return (
    <svg viewBox="0 0 24 24" aria-hidden="true">
      <IconParts name={name} />
    </svg>
  );
}

function IconParts({ name }: { readonly name: string }) {
  const { color, parts } = iconOf(name);
  return (
    <g className="textcraft-icon" style={custom({ '--textcraft-color': color })}>
      {parts.map(([tone, path]) => (
        <path key={path} className={`textcraft-${tone}`} d={path} />
      ))}
    </g>
  );
}

export const view: EnvironmentView = { Component: TextCraftView, keys: {} };
