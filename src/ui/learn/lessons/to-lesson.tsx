import { Button } from '@mantine/core';
import { IconArrowUp } from '@tabler/icons-react';
import { type RefObject, useEffect, useState } from 'react';
import { backFromLab } from './parts/look.tsx';

/** A lesson that ends within this distance of the top, in pixels, counts as scrolled out of view. */
const TOP_PX = 240;

interface ToLessonProps {
  readonly pane: RefObject<HTMLElement | null>;
}

/** Returns to the lesson when it is above the lab and scrolled out of view. */
export function ToLesson({ pane }: ToLessonProps) {
  const [away, setAway] = useState(false);
  useEffect(() => {
    const element = pane.current;
    if (element === null) return;
    const observer = new IntersectionObserver(
      ([entry]) => setAway(entry !== undefined && !entry.isIntersecting),
      { rootMargin: `-${TOP_PX}px 0px 0px` },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [pane]);
  return away ? (
    <Button
      size="sm"
      variant="filled"
      className="lesson-back"
      leftSection={<IconArrowUp size={15} />}
      onClick={() => {
        if (!backFromLab()) pane.current?.scrollIntoView();
      }}
    >
      Back to the lesson
    </Button>
  ) : null;
}
