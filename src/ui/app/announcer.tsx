import { useDocumentTitle, useFavicon } from '@mantine/hooks';
import { useLab } from '../shell/lab/store.ts';
import { shown } from '../shell/language/current.ts';
import { statusText } from './header.tsx';
import { milestone } from './milestones.ts';
import { iconOf, tabTitle } from './tab.ts';

/** Announces the run status to screen readers and shows it in the tab title. */
export function Announcer() {
  const text = useLab(milestone);
  const title = useLab((lab) => tabTitle(lab, statusText(lab)));
  const icon = useLab((lab) => iconOf(lab));
  useDocumentTitle(shown(title));
  useFavicon(icon);
  return (
    <p className="visually-hidden" role="status" data-testid="milestone">
      {text}
    </p>
  );
}
