import { useEffect, useMemo, useRef, useState } from 'react';
import { useLab } from '../store.ts';
import type { Evidence } from '../why.ts';

/** Charts are drawn anew at most this often; a fast GPU finishes iterations sooner. */
const REDRAW_MS = 300;

/** The value as it was when last let through, at most once per `ms`. */
function useThrottled<T>(value: T, ms: number): T {
  const [shown, setShown] = useState(value);
  const last = useRef(Number.NEGATIVE_INFINITY);
  useEffect(() => {
    const timer = setTimeout(
      () => {
        last.current = performance.now();
        setShown(value);
      },
      Math.max(0, last.current + ms - performance.now()),
    );
    return () => clearTimeout(timer);
  }, [value, ms]);
  return shown;
}

/** What the charts draw and explain, a little behind the run where it is faster than an eye. */
export function useEvidence(): Evidence {
  const rows = useThrottled(
    useLab((lab) => lab.rows),
    REDRAW_MS,
  );
  const evaluations = useLab((lab) => lab.evaluations);
  const config = useLab((lab) => lab.config);
  const vocabulary = useLab((lab) => lab.machine?.vocabulary ?? null);
  return useMemo(
    () => ({ rows, evaluations, config, vocabulary }),
    [rows, evaluations, config, vocabulary],
  );
}
