import './terms.css';
import { CloseButton } from '@mantine/core';
import { useLayoutEffect, useRef, useState } from 'react';
import { TermEntry } from './entry.tsx';
import { closeTerm, openGlossary, useTermCard } from './store.ts';
import type { TermName } from './terms.ts';

/** Between the word and its card, and between the card and the edge of the page, in pixels. */
const GAP_PX = 6;
const EDGE_PX = 10;

/** The card of the term that was pressed, beside the word. A press elsewhere or Escape closes it. */
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
  // Where a card leads to takes its place.
  const [name, setName] = useState(first);
  useLayoutEffect(() => {
    const card = box.current;
    if (card === null) return;
    card.showPopover();
    place(card, word.getBoundingClientRect());
    card.focus();
  }, [word]);
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
        aria-label="Close the card"
        onClick={() => box.current?.hidePopover()}
      />
      <TermEntry name={name} heading="h2" id="term-card-title" onSee={setName} />
      <button
        type="button"
        className="term"
        onClick={() => {
          box.current?.hidePopover();
          openGlossary(true);
        }}
      >
        All terms
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
