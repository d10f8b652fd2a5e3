/** What checks of data from outside have in common: the first fault ends them. */
import { z } from 'zod';

export interface ListOptions {
  readonly min?: number;
  readonly max: number;
  /** In place of `must be a list`. */
  readonly error?: string;
}

/**
 * A list whose first wrong item ends the check. (`z.array` checks all, and collects a fault of several
 * hundred bytes for each: gigabytes for a list of nothing.)
 */
export function list<Item>(
  item: z.ZodType<Item>,
  { min = 0, max, error = 'must be a list' }: ListOptions,
) {
  return z.unknown().transform((value, context): Item[] => {
    const fault = (message: string) => {
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    };
    if (!Array.isArray(value)) return fault(error);
    if (value.length < min) return fault(`must hold at least ${min}`);
    if (value.length > max) return fault(`has ${value.length} items, and at most ${max} are read`);
    const items: Item[] = [];
    for (const [i, one] of value.entries()) {
      const parsed = item.safeParse(one);
      if (!parsed.success) {
        const { path, message } = firstFault(parsed.error);
        context.addIssue({ code: 'custom', message, path: [i, ...path] });
        return z.NEVER;
      }
      items.push(parsed.data);
    }
    return items;
  });
}

/** Longer messages, which name what a file says, are cut. */
const LONGEST_MESSAGE = 200;

/** Where the first fault is, and what it is. */
export function firstFault(error: z.ZodError): {
  readonly path: readonly PropertyKey[];
  readonly message: string;
} {
  const { path, message } = error.issues[0] ?? { path: [], message: 'it is not valid' };
  const cut = message.length > LONGEST_MESSAGE ? `${message.slice(0, LONGEST_MESSAGE)}…` : message;
  return { path, message: cut };
}

/** A path as a sentence names it, such as `rows.3.metrics`. */
export function pathText(path: readonly PropertyKey[]): string {
  const text = path.map(String).join('.');
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}
