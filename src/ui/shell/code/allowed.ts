/** Code and servers of environments that the visitor has allowed in this browser. */

import { create } from 'zustand';
import type { Config } from '../../../config/schema.ts';
import { openEnvCard } from '../../../envs/remote/card.ts';
import { type Language, languageOf } from '../../../envs/written/card.ts';
import { permission } from '../../../envs/written/permission.ts';
import { readKept, whenForgotten, writeKept } from '../browser/kept.ts';

/** Part of an environment that needs permission: code to run, or the address of a server. */
export type Foreign =
  | { readonly kind: 'code'; readonly text: string; readonly language: Language }
  | { readonly kind: 'server'; readonly text: string };

const keys = { code: 'allowed-code', server: 'allowed-servers' } as const;
/** Beyond this number the oldest is dropped; the visitor is asked about it again. */
const MOST_KEPT = 12;

function kept(kind: Foreign['kind']): readonly string[] {
  try {
    const list: unknown = JSON.parse(readKept(keys[kind]) ?? '[]');
    return Array.isArray(list) ? list.filter((text) => typeof text === 'string') : [];
  } catch {
    return [];
  }
}

const allowed = new Map<Foreign['kind'], readonly string[]>();

function allowedOf(kind: Foreign['kind']): readonly string[] {
  const list = allowed.get(kind) ?? kept(kind);
  allowed.set(kind, list);
  return list;
}

whenForgotten(() => allowed.clear());

/** From now on, the page runs allowed code only. */
export function restrictCode(): void {
  permission.mayRun = (code) => allowedOf('code').includes(code);
}

export function allow({ kind, text }: Pick<Foreign, 'kind' | 'text'>): void {
  const list = [text, ...allowedOf(kind).filter((other) => other !== text)].slice(0, MOST_KEPT);
  allowed.set(kind, list);
  writeKept(keys[kind], JSON.stringify(list));
}

/** A run that waits for the visitor's permission. */
export interface Question {
  readonly asked: Foreign;
  /** Continues once it is allowed. */
  readonly goOn: () => void;
}

export const usePermissionQuestion = create<{ readonly question: Question | null }>()(() => ({
  question: null,
}));

/**
 * The first part of a config's environments that is not allowed yet; null if all parts are allowed.
 */
export function notAllowed({ id, options, mixture }: Config['env']): Foreign | null {
  const parts = mixture.length === 0 ? [{ id, options }] : mixture;
  const foreign = parts.flatMap((part): readonly Foreign[] => {
    const { code, url } = part.options;
    const language = languageOf(part.id);
    if (language !== undefined && typeof code === 'string')
      return [{ kind: 'code', text: code, language }];
    if (part.id === openEnvCard.id && typeof url === 'string')
      return [{ kind: 'server', text: url }];
    return [];
  });
  const isAllowed = ({ kind, text }: Foreign) =>
    text === '' || (kind === 'code' ? permission.mayRun(text) : allowedOf(kind).includes(text));
  return foreign.find((one) => !isAllowed(one)) ?? null;
}

/**
 * Asks the visitor before the page runs code or connects to a server that is not allowed yet.
 *
 * @returns whether it asks; if so, `goOn` is called once it is allowed
 */
export function asksFirst(env: Config['env'], goOn: () => void): boolean {
  const asked = notAllowed(env);
  usePermissionQuestion.setState({ question: asked === null ? null : { asked, goOn } });
  return asked !== null;
}
