/** Shapes that distinguish points without relying on color. */

export const shapes = ['circle', 'square', 'triangle', 'diamond', 'plus'] as const;
export type Shape = (typeof shapes)[number];

/** The shape for an index; they repeat. */
export function shapeOf(place: number): Shape {
  return shapes[place % shapes.length] ?? 'circle';
}

/** Centered on the origin, with about equal areas. */
export const shapePaths: Readonly<Record<Shape, string>> = {
  circle: 'M-1 0a1 1 0 1 0 2 0a1 1 0 1 0 -2 0z',
  square: 'M-.88-.88H.88V.88H-.88z',
  triangle: 'M0-1.15 1.1.85H-1.1z',
  diamond: 'M0-1.25 1.25 0 0 1.25-1.25 0z',
  plus: 'M-.42-1.15H.42V-.42H1.15V.42H.42V1.15H-.42V.42H-1.15V-.42H-.42z',
};

interface MarkerProps {
  readonly shape: Shape;
  readonly x: number;
  readonly y: number;
  /** Half its width in pixels. */
  readonly radius: number;
  readonly color: string;
}

/** A curve's point, outlined against its background. */
export function Marker({ shape, x, y, radius, color }: MarkerProps) {
  return (
    <path
      className="marker"
      d={shapePaths[shape]}
      transform={`translate(${x} ${y}) scale(${radius})`}
      fill={color}
      stroke="var(--p-card)"
      strokeWidth={1.5}
      vectorEffect="non-scaling-stroke"
    />
  );
}
