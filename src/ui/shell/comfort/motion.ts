/** Whether the user prefers reduced motion; false outside a browser. */
export const reducesMotion = (): boolean =>
  typeof matchMedia !== 'undefined' && matchMedia('(prefers-reduced-motion: reduce)').matches;

/** How to scroll an element into view. */
export const scrolling = (): ScrollBehavior => (reducesMotion() ? 'instant' : 'smooth');
