/** A tick or a cross. */
export function Mark({ right }: { readonly right: boolean }) {
  return (
    <svg className="pages-mark" viewBox="0 0 16 16" aria-hidden="true">
      <path d={right ? 'm2.5 8.5 3.5 3.5 7.5-8' : 'm3.5 3.5 9 9m0-9-9 9'} />
    </svg>
  );
}
