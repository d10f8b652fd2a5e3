/** Environments to start from. */

import type { Language } from './card.ts';
import { pythonTemplates } from './python/templates.ts';

export interface Template {
  readonly name: string;
  readonly language: Language;
  readonly code: string;
}

const guess = `// Guess a number. Each answer gives the range that is left.
export const name = 'Guess the number';
export const about = 'Guess the number. Each answer gives the range that is left.';
export const turns = 4;

const MOST = 15;
const numbers = Array.from({ length: MOST }, (_, i) => String(i + 1));

// Every word and phrase that texts and actions consist of.
export const words = ['from', 'to', 'found', ...numbers];

interface State {
  hidden: number;
  low: number;
  high: number;
}

// random() is in [0, 1); random.int(n), random.pick(list) and random.shuffle(list) use it.
export function reset(task: number, random) {
  const state: State = { hidden: 1 + random.int(MOST), low: 1, high: MOST };
  return { state, text: tell(state) };
}

export function actions(state: State) {
  return numbers;
}

// Returns a new state, what the agent reads, the reward, and whether the task has ended.
export function step(state: State, action: string) {
  const guess = Number(action);
  const { hidden, low, high } = state;
  if (guess === hidden) return { state, text: 'found', reward: 1, done: true };
  const after: State = {
    hidden,
    low: guess < hidden ? Math.max(low, guess + 1) : low,
    high: guess > hidden ? Math.min(high, guess - 1) : high,
  };
  return { state: after, text: tell(after) };
}

// Optional: shows how it is played. It is used for imitation and comparison only.
export function expert({ low, high }: State) {
  return String(Math.floor((low + high) / 2));
}

function tell({ low, high }: State) {
  return \`from \${low} to \${high}\`;
}
`;

const bandit = `// A bandit with four arms. One of them pays nearly always; which one, differs by task.
export const name = 'Four arms';
export const about = 'Pull ten times and get paid as often as you can.';
export const turns = 10;

const RATES = [0.9, 0.2, 0.1, 0.1];
const ENOUGH = 5;
const arms = ['red', 'blue', 'green', 'gold'];
const counts = Array.from({ length: turns + 1 }, (_, n) => String(n));

export const words = ['pull', 'of', 'paid', 'nothing', 'start', ...arms, ...counts];

interface State {
  rates: number[];
  paid: number[];
  pulled: number[];
}

export function reset(task: number, random) {
  const state: State = { rates: random.shuffle(RATES), paid: [0, 0, 0, 0], pulled: [0, 0, 0, 0] };
  return { state, text: tell(state, 'start') };
}

export function actions(state: State) {
  return arms;
}

export function step({ rates, paid, pulled }: State, action: string, random) {
  const arm = arms.indexOf(action);
  const pays = random() < rates[arm];
  const add = (list: number[], n: number) => list.map((old, i) => (i === arm ? old + n : old));
  const state: State = { rates, paid: add(paid, pays ? 1 : 0), pulled: add(pulled, 1) };
  const done = sum(state.pulled) === turns;
  return {
    state,
    text: tell(state, \`\${action} \${pays ? 'paid' : 'nothing'}\`),
    reward: pays ? 1 / turns : 0,
    done,
    success: done && sum(state.paid) >= ENOUGH,
  };
}

export function expert({ rates }: State) {
  return arms[rates.indexOf(Math.max(...rates))];
}

function sum(list: number[]) {
  return list.reduce((a, b) => a + b, 0);
}

function tell({ paid, pulled }: State, last: string) {
  return [last, ...arms.map((arm, i) => \`\${arm} \${paid[i]} of \${pulled[i]}\`)].join(' ');
}
`;

const ticTacToe = `// Tic-tac-toe. The agent plays x, chance plays o.
export const name = 'Tic-tac-toe';
export const about = 'Get three x in a row, a column or a diagonal before o does.';
export const turns = 5;

const squares = ['a1', 'a2', 'a3', 'b1', 'b2', 'b3', 'c1', 'c2', 'c3'];
const lines = [
  [0, 1, 2], [3, 4, 5], [6, 7, 8],
  [0, 3, 6], [1, 4, 7], [2, 5, 8],
  [0, 4, 8], [2, 4, 6],
];

// One word for each square and its mark is easier to read than the marks alone.
export const words = [
  ...squares,
  ...squares.flatMap((square) => ['x', 'o', '_'].map((mark) => \`\${square}=\${mark}\`)),
];

type Board = string[];

export function reset(task: number, random) {
  const board: Board = squares.map(() => '_');
  // In half of the tasks o begins.
  if (task % 2 === 1) board[random.int(9)] = 'o';
  return { state: board, text: tell(board) };
}

export function actions(board: Board) {
  return squares.filter((_, i) => board[i] === '_');
}

export function step(before: Board, action: string, random) {
  const board = before.slice();
  board[squares.indexOf(action)] = 'x';
  if (wins(board, 'x')) return { state: board, text: tell(board), reward: 1, done: true };
  if (free(board).length > 0) board[random.pick(free(board))] = 'o';
  const lost = wins(board, 'o');
  const done = lost || free(board).length === 0;
  // A draw is worth half, but only a win is a success.
  const reward = done && !lost ? 0.5 : 0;
  return { state: board, text: tell(board), reward, done, success: false };
}

// Wins if it can, prevents o from winning, prefers the center and corners.
export function expert(board: Board) {
  const winning = (mark: string) =>
    free(board).find((i) => wins(board.map((old, j) => (j === i ? mark : old)), mark));
  const choice = winning('x') ?? winning('o') ?? [4, 0, 2, 6, 8, 1, 3, 5, 7].find((i) => board[i] === '_');
  return squares[choice];
}

// Optional: rows of squares to show, one character each.
export function draw(board: Board) {
  return [0, 3, 6].map((i) => board.slice(i, i + 3).join(''));
}

function free(board: Board) {
  return [0, 1, 2, 3, 4, 5, 6, 7, 8].filter((i) => board[i] === '_');
}

function wins(board: Board, mark: string) {
  return lines.some((line) => line.every((i) => board[i] === mark));
}

function tell(board: Board) {
  return squares.map((square, i) => \`\${square}=\${board[i]}\`).join(' ');
}
`;

const adventure = `// A text adventure: find the key, bring it to the hall, open the chest.
export const name = 'The chest';
export const about = 'Find the key and open the chest in the hall.';
export const turns = 14;

const doors: Record<string, string[]> = {
  hall: ['kitchen', 'garden'],
  kitchen: ['hall', 'cellar'],
  garden: ['hall'],
  cellar: ['kitchen'],
};
const rooms = Object.keys(doors);

// A phrase can be one word of the agent: it then writes it at once.
export const words = [
  ...rooms.map((room) => \`you are in the \${room}\`),
  ...rooms.map((room) => \`go to the \${room}\`),
  'here is the key', 'you carry the key', 'you have seen', ...rooms,
  'take the key', 'open the chest', 'the chest is open',
];

interface State {
  at: string;
  /** Null once it has been taken. */
  key: string | null;
  seen: string[];
}

export function reset(task: number, random) {
  const state: State = { at: 'hall', key: random.pick(['kitchen', 'garden', 'cellar']), seen: ['hall'] };
  return { state, text: tell(state) };
}

export function actions({ at, key }: State) {
  const all = doors[at].map((room) => \`go to the \${room}\`);
  if (key === at) all.push('take the key');
  if (key === null && at === 'hall') all.push('open the chest');
  return all;
}

export function step(state: State, action: string) {
  if (action === 'open the chest') {
    return { state, text: 'the chest is open', reward: 0.7, done: true };
  }
  if (action === 'take the key') {
    const after: State = { ...state, key: null };
    return { state: after, text: tell(after), reward: 0.3 };
  }
  const at = action.slice('go to the '.length);
  const seen = rooms.filter((room) => room === at || state.seen.includes(room));
  const after: State = { ...state, at, seen };
  return { state: after, text: tell(after) };
}

export function expert({ at, key, seen }: State) {
  if (key === at) return 'take the key';
  if (key === null && at === 'hall') return 'open the chest';
  const goals = key === null ? ['hall'] : rooms.filter((room) => !seen.includes(room));
  return \`go to the \${towards(at, goals)}\`;
}

// @ is the agent, # is no room.
export function draw({ at, key, seen }: State) {
  const mark = (room: string) =>
    room === at ? '@' : key === room && seen.includes(room) ? 'k' : room === 'hall' ? 'c' : '.';
  return [
    mark('garden') + mark('hall') + mark('kitchen'),
    '##' + mark('cellar'),
  ];
}

/** The next room on the shortest way to one of the goals. */
function towards(from: string, goals: string[]) {
  const queue = doors[from].map((room) => [room, room]);
  const known = [from];
  for (const [room, first] of queue) {
    if (goals.includes(room)) return first;
    if (known.includes(room)) continue;
    known.push(room);
    for (const next of doors[room]) queue.push([next, first]);
  }
  return from;
}

function tell({ at, key, seen }: State) {
  const parts = [\`you are in the \${at}\`];
  if (key === at) parts.push('here is the key');
  if (key === null) parts.push('you carry the key');
  else parts.push('you have seen', ...seen);
  return parts.join(' ');
}
`;

export const templates: readonly [Template, ...Template[]] = [
  { name: 'Guess the number', language: 'javascript', code: guess },
  { name: 'Bandit with four arms', language: 'javascript', code: bandit },
  { name: 'Tic-tac-toe against chance', language: 'javascript', code: ticTacToe },
  { name: 'Text adventure', language: 'javascript', code: adventure },
];

export const allTemplates: readonly Template[] = [...templates, ...pythonTemplates];

/** The template that an empty option stands for. */
export const firstTemplate = (language: Language): Template =>
  language === 'python' ? pythonTemplates[0] : templates[0];
