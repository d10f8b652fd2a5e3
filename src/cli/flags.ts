/** Command-line options as data, from which a command's parser, errors and `--help` are derived. */
import { parse as parsePath } from 'node:path';
import { parseArgs } from 'node:util';
import { didYouMean, suggestion } from '../config/nearest.ts';
import { UsageError } from './usage.ts';

/** One option of a command. */
interface Flag<Value> {
  /** Stands for the value in `--help`, such as `FILE`; null for a switch. */
  readonly placeholder: string | null;
  readonly help: string;
  readonly multiple: boolean;
  readonly required: boolean;
  /**
   * Converts the texts given for the option, in order, to its value; there are none if it was omitted.
   *
   * @throws {UsageError}
   */
  readonly read: (texts: readonly string[], name: string) => Value;
}

export type Flags = Readonly<Record<string, Flag<unknown>>>;
type FlagValues<Rows extends Flags> = {
  readonly [Name in keyof Rows]: Rows[Name] extends Flag<infer Value> ? Value : never;
};

/** An option without a value. */
export function toggle(help: string): Flag<boolean> {
  return {
    ...{ placeholder: null, help, multiple: false, required: false },
    read: (texts) => texts.length > 0,
  };
}

type Read<Value> = (text: string, name: string) => Value;
const asText: Read<string> = (text) => text;

/** An option that may be omitted. If it is repeated, the last value counts. */
export function optional(placeholder: string, help: string): Flag<string | undefined>;
export function optional<Value>(
  placeholder: string,
  help: string,
  read: Read<Value>,
): Flag<Value | undefined>;
export function optional(
  placeholder: string,
  help: string,
  read: Read<unknown> = asText,
): Flag<unknown> {
  return {
    ...{ placeholder, help, multiple: false, required: false },
    read: (texts, name) => {
      const text = texts.at(-1);
      return text === undefined ? undefined : read(text, name);
    },
  };
}

/** An option with a default, which `--help` shows. */
export function withDefault<Value extends string | number>(
  fallback: Value,
  flag: Flag<Value | undefined>,
): Flag<Value> {
  return {
    ...flag,
    help: `${flag.help} (default: ${fallback})`,
    read: (texts, name) => flag.read(texts, name) ?? fallback,
  };
}

/** An option that must be given. */
export function required(placeholder: string, help: string): Flag<string>;
export function required<Value>(placeholder: string, help: string, read: Read<Value>): Flag<Value>;
export function required(
  placeholder: string,
  help: string,
  read: Read<unknown> = asText,
): Flag<unknown> {
  return {
    ...{ placeholder, help, multiple: false, required: true },
    read: (texts, name) => {
      const text = texts.at(-1);
      if (text !== undefined) return read(text, name);
      throw new UsageError(`--${name} ${placeholder} is required: ${help}`);
    },
  };
}

/** An option that may be repeated. */
export function repeated(placeholder: string, help: string): Flag<readonly string[]> {
  return {
    ...{ placeholder, help, multiple: true, required: false },
    read: (texts) => texts,
  };
}

/** Reads a whole number from `min` to `max`. */
export function whole(min: number, max: number): Read<number> {
  return (text, name) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= min && value <= max) return value;
    throw new UsageError(
      `--${name} must be a whole number from ${min} to ${max}, got ${JSON.stringify(text)}`,
    );
  };
}

/** Reads one of a few names. */
export function oneOf<const Name extends string>(names: readonly Name[]): Read<Name> {
  return (text, flag) => {
    const found = names.find((name) => name === text);
    if (found !== undefined) return found;
    throw new UsageError(
      `--${flag} does not accept ${JSON.stringify(text)}${suggestion(text, names)}`,
    );
  };
}

/** `--set KEY=VALUE` as key and value. @throws {UsageError} */
export function assignment(text: string): readonly [key: string, value: string] {
  const equals = text.indexOf('=');
  if (equals < 1) throw new UsageError(`--set must be KEY=VALUE, got ${JSON.stringify(text)}`);
  return [text.slice(0, equals).trim(), text.slice(equals + 1).trim()];
}

/** Options that several commands share. */
export const forceFlag = toggle('overwrite existing files');

interface CommandSpec<Rows extends Flags> {
  readonly name: string;
  /** What the command does, in one sentence. */
  readonly about: string;
  /** Arguments without a flag, if the command takes any. */
  readonly operands?: {
    readonly placeholder: string;
    readonly help: string;
    readonly most: number;
  };
  readonly flags: Rows;
  /** Text after the options in `--help`. */
  readonly notes?: () => string;
}

export interface Parsed<Rows extends Flags> {
  readonly values: FlagValues<Rows>;
  readonly operands: readonly string[];
}

export class Command<const Rows extends Flags> {
  readonly #spec: CommandSpec<Rows>;

  constructor(spec: CommandSpec<Rows>) {
    this.#spec = spec;
  }

  /**
   * The values of the options; null if help was requested.
   *
   * @throws {UsageError} for unknown options, missing or invalid values, and surplus arguments
   */
  parse(args: readonly string[]): Parsed<Rows> | null {
    const { flags, operands: wanted } = this.#spec;
    const { given, operands } = this.#tokens(args);
    if (given.has('help')) return null;
    const most = wanted?.most ?? 0;
    const surplus = operands[most];
    if (surplus !== undefined) throw this.#surplus(surplus, most);
    if (most > 0 && operands.length === 0) {
      throw new UsageError(`${wanted?.placeholder} is required: ${wanted?.help}`);
    }
    const values = Object.entries(flags).map(([name, flag]) => [
      name,
      flag.read(given.get(name) ?? [], name),
    ]);
    return { values: Object.fromEntries(values), operands };
  }

  /** The texts given for each option, and the arguments without one. */
  #tokens(args: readonly string[]) {
    const { flags } = this.#spec;
    const types = Object.entries(flags).map(([name, { placeholder }]) => [
      name,
      { type: placeholder === null ? 'boolean' : 'string', multiple: true },
    ]);
    const { tokens } = parseArgs({
      args: [...args],
      options: { ...Object.fromEntries(types), help: { type: 'boolean', short: 'h' } },
      // Report unknown options here, because Node suggests no similar names.
      strict: false,
      tokens: true,
    });
    const given = new Map<string, string[]>();
    const operands: string[] = [];
    for (const token of tokens) {
      if (token.kind === 'positional') operands.push(token.value);
      if (token.kind !== 'option') continue;
      const flag = Object.hasOwn(flags, token.name) ? flags[token.name] : undefined;
      if (token.name !== 'help' && flag === undefined) throw this.#unknown(args[token.index] ?? '');
      given.set(token.name, [...(given.get(token.name) ?? []), textOf(token, flag)]);
    }
    return { given, operands };
  }

  #unknown(arg: string): UsageError {
    const name = arg.replace(/=.*/s, '');
    const near = didYouMean(name.replace(/^-+/, ''), this.#names(), '--');
    return new UsageError(
      `unknown option ${name}${near === '' ? '; --help lists the options' : `.${near}`}`,
    );
  }

  #surplus(operand: string, most: number): UsageError {
    const named = operand.replace(/=.*/s, '');
    const near = named === operand ? '' : didYouMean(named, this.#names(), '--');
    const what =
      most === 0
        ? `${this.#spec.name} takes options only`
        : `${this.#spec.name} takes one ${this.#spec.operands?.placeholder}`;
    return new UsageError(
      `unexpected argument ${JSON.stringify(operand)}${near === '' ? `; ${what}` : `.${near}`}`,
    );
  }

  #names(): readonly string[] {
    return [...Object.keys(this.#spec.flags), 'help'];
  }

  /** The text of `--help`. */
  help(): string {
    const { name, about, operands, flags, notes } = this.#spec;
    const rows = Object.entries(flags);
    const needed = rows
      .filter(([, flag]) => flag.required)
      .map(([flag, { placeholder }]) => ` --${flag} ${placeholder}`);
    const usage = `${calledBy(name)}${operands === undefined ? '' : ` ${operands.placeholder}`}${needed.join('')} [options]`;
    const listed: (readonly [string, string])[] = rows.map(([flag, row]) => [
      `--${flag}${row.placeholder === null ? '' : ` ${row.placeholder}`}`,
      row.multiple ? `${row.help}; may be repeated` : row.help,
    ]);
    return [
      about,
      '',
      `Usage: ${usage}`,
      '',
      ...(operands === undefined ? [] : [row(operands.placeholder, operands.help), '']),
      ...listed.map(([label, text]) => row(label, text)),
      row('--help', 'print this help'),
      ...(notes === undefined ? [] : ['', notes().trim()]),
    ].join('\n');
  }
}

const COLUMN = 24;
const LINE = 100;

/** A label with its wrapped text beside it. */
function row(label: string, text: string): string {
  const lines = wrap(text, LINE - COLUMN).map((line) => ' '.repeat(COLUMN) + line);
  const head = `  ${label}`;
  const [first = '', ...rest] = lines;
  return head.length + 2 > COLUMN
    ? [head, first, ...rest].join('\n')
    : [head.padEnd(COLUMN) + first.trimStart(), ...rest].join('\n');
}

function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line !== '' && line.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines;
}

/** @throws {UsageError} for an option without a value, or a switch with one */
function textOf(
  {
    name,
    value,
    inlineValue,
  }: { name: string; value?: string | undefined; inlineValue?: boolean | undefined },
  flag: Flag<unknown> | undefined,
): string {
  if (flag === undefined || flag.placeholder === null) {
    if (value !== undefined)
      throw new UsageError(`--${name} takes no value, got ${JSON.stringify(value)}`);
    return '';
  }
  const { placeholder } = flag;
  if (value === undefined || (inlineValue === false && value.startsWith('--'))) {
    throw new UsageError(`--${name} needs a value: --${name} ${placeholder}`);
  }
  return value;
}

/** How a command is called: `palestra train` in the installed package, `npm run` in the repository. */
export function calledBy(command: string): string {
  const packed = parsePath(process.argv[1] ?? '').name === 'palestra';
  return packed ? `palestra ${command}` : `npm run --silent ${command} --`;
}
