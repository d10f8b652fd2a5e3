import { scrolling } from '../../shell/comfort/motion.ts';
import { useOverlay } from '../../shell/page/panels.ts';
import './terms.css';
import { Modal } from '@mantine/core';
import { useRef } from 'react';
import { useLanguage } from '../../shell/language/store.ts';
import { type TermName, termNames } from '../../shell/terms/terms.ts';
import { TermEntry } from './entry.tsx';
import { termTexts } from './texts.ts';

/** All terms, in teaching order. */
export function Glossary() {
  const language = useLanguage((state) => state.language);
  const { heading, closeAll } = termTexts[language];
  const overlay = useOverlay('glossary', closeAll);
  const list = useRef<HTMLDivElement>(null);
  const show = (name: TermName) => {
    const entry = list.current?.querySelector(`[data-term="${name}"]`);
    entry?.scrollIntoView({ block: 'start', behavior: scrolling() });
    entry?.querySelector<HTMLElement>('h3')?.focus({ preventScroll: true });
  };
  return (
    <Modal {...overlay} size={980} title={heading}>
      <div ref={list} className="glossary" data-testid="glossary">
        {termNames.map((name) => (
          <TermEntry key={name} name={name} language={language} heading="h3" onSee={show} />
        ))}
      </div>
    </Modal>
  );
}
