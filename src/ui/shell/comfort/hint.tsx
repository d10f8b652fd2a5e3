import './comfort.css';

/** A tooltip text, followed by a keyboard shortcut. */
export function Hint({ text, hotkey }: { readonly text: string; readonly hotkey: string }) {
  return (
    <span className="hint">
      {text} <kbd className="key">{hotkey}</kbd>
    </span>
  );
}
