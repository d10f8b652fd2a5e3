/**
 * Resolves once the page is in sight. A page of text may hold several frames, and those that nobody has
 * scrolled to are not to train.
 */
export function whenSeen(): Promise<void> {
  return new Promise((resolve) => {
    const observer = new IntersectionObserver((entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      observer.disconnect();
      resolve();
    });
    observer.observe(document.documentElement);
  });
}
