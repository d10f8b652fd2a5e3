import { useEffect, useRef, useState } from 'react';

/** How long it is said that something was copied, in milliseconds. */
const SAID_MS = 4000;

/** What came of the last press on a button that copies; null before one, and some time after it went well. */
export type Copied = 'yes' | 'no' | null;

/** Copies a text at a press, and says for a while that it has. */
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
  // Browsers keep the clipboard from pages that come over plain http; these may copy what is selected.
  if (!('clipboard' in navigator)) return copySelected(text);
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** Copies by way of a selection, which is put back; the focus stays where it is. */
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
