/** Moves the focus to an element that replaces the focused one; as a ref, when it is mounted. */
export function focusIfLost(element: HTMLElement | null): void {
  if (document.activeElement === document.body) element?.focus({ preventScroll: true });
}
