import { useEffect, useRef, useState } from 'react';

/** How long the confirmation is shown, in milliseconds. */
const SAID_MS = 4000;

/** Result of the last copy; null before the first, and some time after a success. */
export type Copied = 'yes' | 'no' | null;

/** Copies a text and shows a confirmation for a while. */
export function useCopy(): { readonly copied: Copied; readonly copy: (text: string) => void } {
  const [copied, setCopied] = useState<Copied>(null);
  const timer = useRef(0);
  useEffect(() => () => clearTimeout(timer.current), []);
  const copy = async (text: string) => {
    clearTimeout(timer.current);
    const done = await copyText(text);
    setCopied(done ? 'yes' : 'no');
    if (done) timer.current = window.setTimeout(() => setCopied(null), SAID_MS);
  };
  return { copied, copy: (text) => void copy(text) };
}

async function copyText(text: string): Promise<boolean> {
  // Over plain http there is no clipboard API, but copying a selection works.
  if (!('clipboard' in navigator)) return copySelected(text);
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** Copies through a temporary selection; keeps the user's selection and focus. */
function copySelected(text: string): boolean {
  const selection = getSelection();
  if (selection === null) return false;
  const before = selection.rangeCount > 0 ? selection.getRangeAt(0) : null;
  const carrier = document.createElement('span');
  carrier.textContent = text;
  carrier.style.cssText =
    'position: fixed; top: 0; clip-path: inset(50%); white-space: pre; user-select: text';
  document.body.append(carrier);
  selection.selectAllChildren(carrier);
  try {
    return document.execCommand('copy');
  } finally {
    selection.removeAllRanges();
    if (before !== null) selection.addRange(before);
    carrier.remove();
  }
}
