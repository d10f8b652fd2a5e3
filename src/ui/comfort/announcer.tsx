import { useDocumentTitle, useFavicon } from '@mantine/hooks';
import { statusText } from '../header/header.tsx';
import { useLab } from '../lab/store.ts';
import { milestone } from './milestones.ts';
import { iconOf, tabTitle } from './tab.ts';

/** Tells the run to those who do not look at the page: to a screen reader, and on the page's tab. */
export function Announcer() {
  const text = useLab(milestone);
  const title = useLab((lab) => tabTitle(lab, statusText(lab)));
  const icon = useLab((lab) => iconOf(lab));
  useDocumentTitle(title);
  useFavicon(icon);
  return (
    <p className="visually-hidden" role="status" data-testid="milestone">
      {text}
    </p>
  );
}
