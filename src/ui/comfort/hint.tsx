import './comfort.css';

/** A tooltip's text with the key that does the same. */
export function Hint({ text, hotkey }: { readonly text: string; readonly hotkey: string }) {
  return (
    <span className="hint">
      {text} <kbd className="key">{hotkey}</kbd>
    </span>
  );
}
