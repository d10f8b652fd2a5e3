import type { ReactNode } from 'react';

interface BrowserFrameProps {
  readonly tabs?: readonly { readonly title: string; readonly front: boolean }[];
  readonly address: string;
  /** The last action; null at the start. */
  readonly last: { readonly said: string; readonly understood: boolean } | null;
  readonly turn: number;
  readonly turnLimit: number;
  readonly glide: number;
  readonly children: ReactNode;
}

/** A browser window: the address, the page, and the last action. */
export function BrowserFrame(props: BrowserFrameProps) {
  const { tabs = [], address, last, turn, turnLimit, glide, children } = props;
  return (
    <div className="pages-window">
      {tabs.length === 0 ? null : (
        <div className="pages-tabs">
          {tabs.map(({ title, front }, i) => (
            <span key={i} translate="no" className={front ? 'pages-tab pages-front' : 'pages-tab'}>
              {title}
            </span>
          ))}
        </div>
      )}
      <div className="pages-bar">
        <span className="pages-dots" aria-hidden="true">
          <i />
          <i />
          <i />
        </span>
        <span className="pages-address">{address}</span>
      </div>
      <div className="pages-page">{children}</div>
      <div className="pages-status">
        {last === null ? (
          <span className="view-empty">no action yet</span>
        ) : (
          <code
            key={turn}
            translate="no"
            className={last.understood ? 'pages-said' : 'pages-said pages-refused'}
            style={{ animationDuration: `${glide}ms` }}
          >
            {last.said.length > 90 ? `${last.said.slice(0, 90)}…` : last.said}
          </code>
        )}
        <small>
          {turn} of {turnLimit} turns used
        </small>
      </div>
    </div>
  );
}
