import { Button } from '@mantine/core';
import { IconArrowUp } from '@tabler/icons-react';
import { type RefObject, useEffect, useState } from 'react';
import { backFromLab } from './parts/look.tsx';

/** Height of the top area, in pixels, where a lesson counts as scrolled away. */
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
