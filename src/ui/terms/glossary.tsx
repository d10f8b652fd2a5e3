import './terms.css';
import { Modal } from '@mantine/core';
import { useRef } from 'react';
import { TermEntry } from './entry.tsx';
import { openGlossary, useGlossary } from './store.ts';
import { type TermName, termNames } from './terms.ts';

/** All terms with their drawings, in the order in which a reader meets them. */
export function Glossary() {
  const { open } = useGlossary();
  const list = useRef<HTMLDivElement>(null);
  const show = (name: TermName) =>
    list.current
      ?.querySelector(`[data-term="${name}"]`)
      ?.scrollIntoView({ block: 'start', behavior: 'smooth' });
  return (
    <Modal
      opened={open}
      onClose={() => openGlossary(false)}
      size={980}
      title="Terms"
      closeButtonProps={{ 'aria-label': 'Close the terms' }}
      classNames={{ title: 'settings-title' }}
    >
      <div ref={list} className="glossary" data-testid="glossary">
        {termNames.map((name) => (
          <TermEntry key={name} name={name} heading="h3" onSee={show} />
        ))}
      </div>
    </Modal>
  );
}
