/** Logs may be dropped anywhere on the page, where no place of its own takes what is dropped. */

/** Set on the page's root while files are over it; the style sheet says that they can be dropped. */
const OVER = 'data-dropping';

const holdsFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') === true;

export function takeDrops(): void {
  const root = document.documentElement;
  const leave = () => root.removeAttribute(OVER);
  window.addEventListener('dragover', (event) => {
    // A place of its own has taken it already.
    if (!holdsFiles(event) || event.defaultPrevented) return leave();
    event.preventDefault();
    root.setAttribute(OVER, '');
  });
  window.addEventListener('dragleave', (event) => {
    // Out of the page, not from one part of it to another.
    if (event.relatedTarget === null) leave();
  });
  window.addEventListener('drop', (event) => {
    leave();
    if (!holdsFiles(event) || event.defaultPrevented) return;
    event.preventDefault();
    // What was dropped is there only as long as this function runs.
    const entries = [...(event.dataTransfer?.items ?? [])].flatMap(
      (item) => item.webkitGetAsEntry() ?? [],
    );
    const files = [...(event.dataTransfer?.files ?? [])];
    void import('./store.ts').then(({ openDropped }) => openDropped(entries, files));
  });
}
