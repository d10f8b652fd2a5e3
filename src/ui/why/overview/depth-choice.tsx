import { SegmentedControl } from '@mantine/core';
import { chooseDepth, depths, useDepth } from '../../shell/page/depth.ts';

const names = { watch: 'Watch', understand: 'Understand', everything: 'Everything' } as const;

/** How much of the lab is shown. */
export function DepthChoice() {
  const depth = useDepth((state) => state.depth);
  return (
    <SegmentedControl
      className="depth"
      aria-label="How much is shown"
      value={depth}
      onChange={chooseDepth}
      data={depths.map((value) => ({ value, label: names[value] }))}
    />
  );
}
