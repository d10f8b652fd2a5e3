/** Accepts dropped logs anywhere on the page, except on other drop targets. */

/** Set on the root element while files are dragged over the page; styled by the style sheet. */
const OVER = 'data-dropping';

const holdsFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') === true;

export function takeDrops(): void {
  const root = document.documentElement;
  const leave = () => root.removeAttribute(OVER);
  window.addEventListener('dragover', (event) => {
    // Another drop target has handled it.
    if (!holdsFiles(event) || event.defaultPrevented) return leave();
    event.preventDefault();
    root.setAttribute(OVER, '');
  });
  window.addEventListener('dragleave', (event) => {
    // Leaving the page, not moving between its elements.
    if (event.relatedTarget === null) leave();
  });
  window.addEventListener('drop', (event) => {
    leave();
    if (!holdsFiles(event) || event.defaultPrevented) return;
    event.preventDefault();
    // The dropped items are only available synchronously.
    const entries = [...(event.dataTransfer?.items ?? [])].flatMap(
      (item) => item.webkitGetAsEntry() ?? [],
    );
    const files = [...(event.dataTransfer?.files ?? [])];
    void import('./store.ts').then(({ openDropped }) => openDropped(entries, files));
  });
}
