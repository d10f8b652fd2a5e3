import './rivals.css';
import type { Rival } from '../../../diagnosis/finding.ts';
import { openModeCard } from './card-store.ts';
import { modeTitle } from './mode-title.ts';

interface RivalsProps {
  readonly rivals: readonly Pick<Rival, 'mode' | 'separatedBy'>[];
}

/** Similar failure modes, each with its card and what distinguishes it. */
export function Rivals({ rivals }: RivalsProps) {
  return (
    <dl className="rivals">
      {rivals.map(({ mode, separatedBy }) => (
        <div key={mode}>
          <dt>
            <button type="button" className="as-link" onClick={() => openModeCard(mode)}>
              {modeTitle(mode)}
            </button>
          </dt>
          <dd>{separatedBy}</dd>
        </div>
      ))}
    </dl>
  );
}
