/**
 * Resolves once the page is visible, so that frames outside the viewport of an article do not train.
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
