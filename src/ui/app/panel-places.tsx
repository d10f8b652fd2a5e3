import { useLab } from '../shell/lab/store.ts';
import { usePanel } from '../shell/page/panels.ts';
import { Part } from '../shell/page/part.tsx';
import { commands } from './commands.tsx';
import { type Panel, panels } from './panels.tsx';

/** The open panels at one position of the page. */
export function Panels({ at }: { readonly at: Panel['place'] }) {
  return panels
    .filter(({ place }) => place === at)
    .map((panel) => <Shown key={panel.id} panel={panel} />);
}

function Shown({ panel }: { readonly panel: Panel }) {
  const { id, name, place, Component, waiting, trains = false, useShown } = panel;
  const cannotTrain = useLab((lab) => lab.cannotTrain);
  const { open, wanted } = usePanel(id);
  const over = place === 'over';
  // An instance always renders the same row, so it calls the optional hook on every render or on none.
  const shown = useShown?.() ?? (over ? wanted : open);
  if (!shown || (trains && cannotTrain)) return null;
  return (
    <Part name={name} waiting={waiting} over={over}>
      <Component commands={commands} />
    </Part>
  );
}
