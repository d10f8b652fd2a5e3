import { openPanel } from '../../shell/page/panels.ts';
import './terms.css';
import { CloseButton } from '@mantine/core';
import { useLayoutEffect, useRef, useState } from 'react';
import { useLanguage } from '../../shell/language/store.ts';
import { closeTerm, useTermCard } from '../../shell/terms/store.ts';
import type { TermName } from '../../shell/terms/terms.ts';
import { TermEntry } from './entry.tsx';
import { termTexts } from './texts.ts';

/** Gaps between word and card, and between card and page edge, in pixels. */
const GAP_PX = 6;
const EDGE_PX = 10;

/** The definition of a term, next to the word. A click elsewhere or Escape closes it. */
export function TermCard() {
  const { name, word } = useTermCard();
  return name === null || word === null ? null : <Card key={name} name={name} word={word} />;
}

interface CardProps {
  readonly name: TermName;
  readonly word: HTMLElement;
}

function Card({ name: first, word }: CardProps) {
  const box = useRef<HTMLDivElement>(null);
  // Links to other terms replace the content.
  const [name, setName] = useState(first);
  const language = useLanguage((state) => state.language);
  const { all, close } = termTexts[language];
  // Each term has its own height.
  useLayoutEffect(() => {
    const card = box.current;
    if (card === null) return;
    if (!card.matches(':popover-open')) card.showPopover();
    place(card, word.getBoundingClientRect());
    card.scrollTop = 0;
    card.focus();
  }, [word, name]);
  return (
    <div
      ref={box}
      className="term-card"
      popover="auto"
      role="dialog"
      aria-labelledby="term-card-title"
      tabIndex={-1}
      data-testid="term-card"
      onToggle={({ newState }) => {
        if (newState === 'closed') closeTerm();
      }}
    >
      <CloseButton
        className="term-close"
        size="sm"
        aria-label={close}
        onClick={() => box.current?.hidePopover()}
      />
      <TermEntry
        name={name}
        language={language}
        heading="h2"
        id="term-card-title"
        onSee={setName}
      />
      <button
        type="button"
        className="term"
        onClick={() => {
          box.current?.hidePopover();
          openPanel('glossary');
        }}
      >
        {all}
      </button>
    </div>
  );
}

/** Below the word where there is room, else above it, and within the page. */
function place(card: HTMLElement, { left, top, bottom }: DOMRect): void {
  const { offsetWidth: width, offsetHeight: height } = card;
  const below = bottom + GAP_PX;
  const fits = below + height + EDGE_PX <= innerHeight;
  const y = fits ? below : Math.max(EDGE_PX, top - GAP_PX - height);
  const x = Math.max(EDGE_PX, Math.min(left, innerWidth - width - EDGE_PX));
  Object.assign(card.style, { left: `${x}px`, top: `${y}px` });
}
