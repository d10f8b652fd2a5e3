/** The lessons of this language, by their paths. */
export const files = import.meta.glob<string>('./en/*.md', {
  eager: true,
  query: '?raw',
  import: 'default',
});
