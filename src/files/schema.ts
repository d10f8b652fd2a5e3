/** Helpers to validate untrusted data; validation stops at the first error. */
import { z } from 'zod';

interface ListOptions {
  readonly min?: number;
  readonly max: number;
  /** Replaces the message `must be a list`. */
  readonly error?: string;
}

/**
 * A list schema that stops at the first invalid item. `z.array` checks all items and collects an
 * error of several hundred bytes for each, which can take gigabytes for a long list of nulls.
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

/** Maximum characters of a message, which may quote the file; longer ones are truncated. */
const LONGEST_MESSAGE = 200;

/** Path and message of the first error. */
export function firstFault(error: z.ZodError): {
  readonly path: readonly PropertyKey[];
  readonly message: string;
} {
  const { path, message } = error.issues[0] ?? { path: [], message: 'it is not valid' };
  const cut = message.length > LONGEST_MESSAGE ? `${message.slice(0, LONGEST_MESSAGE)}…` : message;
  return { path, message: cut };
}

/** Formats a path for a message, such as `rows.3.metrics`. */
export function pathText(path: readonly PropertyKey[]): string {
  const text = path.map(String).join('.');
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}
