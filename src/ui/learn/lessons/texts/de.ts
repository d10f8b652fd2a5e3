/** The lessons of this language, by their paths. */
export const files = import.meta.glob<string>('./de/*.md', {
  eager: true,
  query: '?raw',
  import: 'default',
});
