/** Pictures of things, each a shape in a colour, drawn in a square of 24 × 24 and standing on its foot. */

/** How a part is coloured: the thing's colour, darker, lighter, as a line; or the green of leaves. */
export type Tone = 'base' | 'dark' | 'light' | 'line' | 'leaf';

export type Part = readonly [tone: Tone, path: string];

const SHAPES = {
  fruit: [
    [
      'base',
      'M12 7C7 5 3.5 8.5 4 13.5C4.6 19 8 22.5 12 21.5C16 22.5 19.4 19 20 13.5C20.5 8.5 17 5 12 7Z',
    ],
    ['leaf', 'M12 7Q12 3 16.5 2.5Q17 6 12 7Z'],
    ['light', 'M7 11Q7.5 9 9.5 8.8Q8.8 11 8.6 13.4Q7.2 13 7 11Z'],
  ],
  egg: [
    ['base', 'M12 4C7.5 4 5.5 11 5.5 15A6.5 6.5 0 0 0 18.5 15C18.5 11 16.5 4 12 4Z'],
    ['light', 'M9 9Q10 6.6 11.4 6.4Q10.6 10 9 12.6Q8.2 11 9 9Z'],
  ],
  potato: [
    ['base', 'M4 15C3 10 8 6.5 13 7.5C19 8 21.5 12 20 16.5C18 21.5 6 22 4 15Z'],
    ['dark', 'M8 12h1.4v1.4H8ZM14 10.5h1.4v1.4H14ZM15.5 16h1.4v1.4H15.5ZM10 17h1.4v1.4H10Z'],
  ],
  loaf: [
    ['base', 'M3 13Q3 7.5 8 7.5H16Q21 7.5 21 13V20H3Z'],
    ['dark', 'M3 17.5H21V20H3Z'],
    ['line', 'M8 9.5V14M12 9.5V14M16 9.5V14'],
  ],
  leaves: [
    [
      'leaf',
      'M12 21C5 21 2.5 16 4.5 12C4.5 7.5 8 5 12 6.5C16 5 19.5 7.5 19.5 12C21.5 16 19 21 12 21Z',
    ],
    ['line', 'M12 20V9M12 14L8 10.5M12 16L16.5 12'],
  ],
  mug: [
    ['base', 'M5 7H16V19.5Q16 21.5 14 21.5H7Q5 21.5 5 19.5Z'],
    ['line', 'M16 10H18.5Q20.5 10 20.5 13.5Q20.5 17 16 17.5'],
    ['light', 'M7 9H8.6V19H7Z'],
  ],
  cup: [
    ['base', 'M5.5 6H18.5L16.5 21.5H7.5Z'],
    ['light', 'M5.5 6H18.5L18.2 8.4H5.8Z'],
  ],
  bowl: [
    ['base', 'M2.5 11.5H21.5Q20.5 21 14.5 21H9.5Q3.5 21 2.5 11.5Z'],
    ['light', 'M2.5 11.5H21.5L21.2 13.4H2.8Z'],
  ],
  plate: [
    ['base', 'M1.5 16H22.5Q21 20.5 16 20.5H8Q3 20.5 1.5 16Z'],
    ['light', 'M1.5 16H22.5L22 17.4H2Z'],
  ],
  pan: [
    ['base', 'M1.5 14H15.5V17.5Q15.5 20.5 12.5 20.5H4.5Q1.5 20.5 1.5 17.5Z'],
    ['dark', 'M15.5 14.3H23V16.4H15.5Z'],
  ],
  pot: [
    ['base', 'M4 11H20V19Q20 21.5 17.5 21.5H6.5Q4 21.5 4 19Z'],
    ['dark', 'M1.5 12.5H4V15H1.5ZM20 12.5H22.5V15H20ZM4 11H20V12.6H4Z'],
    ['light', 'M10.5 8H13.5V9.4H19V10.6H5V9.4H10.5Z'],
  ],
  kettle: [
    ['base', 'M6 11Q12 7 18 11L19.5 21.5H4.5Z'],
    ['dark', 'M18 13L22.5 10.5L21 15.5L18.8 17Z'],
    ['line', 'M7 10.5Q12 1 17 10.5'],
  ],
  knife: [
    ['light', 'M2.5 18.5Q4 10 14 6.5L15.5 9.5Z'],
    ['dark', 'M14 6.5L21 2.5L22.5 5.5L15.5 9.5Z'],
  ],
  fork: [['base', 'M8 2H9.4V8H11.3V2H12.7V8H14.6V2H16V9Q16 11.5 13.2 12V22H10.8V12Q8 11.5 8 9Z']],
  spoon: [
    ['base', 'M10.9 11H13.1V22H10.9Z'],
    ['base', 'M12 2Q16 2 16 7Q16 11.5 12 11.5Q8 11.5 8 7Q8 2 12 2Z'],
  ],
  ladle: [
    ['base', 'M16.5 2Q19.5 2 19.5 5H17.5Q17.5 4 16.5 4L14 14H11.8Z'],
    ['dark', 'M5 13H15Q15 21 10 21Q5 21 5 13Z'],
  ],
  spatula: [
    ['base', 'M8 2H16V11H8Z'],
    ['dark', 'M10.9 11H13.1V22H10.9Z'],
    ['line', 'M10.6 4V9M13.4 4V9'],
  ],
  shaker: [
    ['base', 'M7.5 9H16.5L18 21.5H6Z'],
    ['dark', 'M8.5 4.5Q12 2.5 15.5 4.5L16.5 9H7.5Z'],
    ['light', 'M9 13H10.6V19.5H8.6Z'],
  ],
  bottle: [
    ['base', 'M10 2H14V7.5Q17.5 9.5 17.5 13V21.5H6.5V13Q6.5 9.5 10 7.5Z'],
    ['light', 'M8.5 14H15.5V18.5H8.5Z'],
    ['dark', 'M10 2H14V4H10Z'],
  ],
  spray: [
    ['base', 'M9 8.5H14Q17.5 11 17 21.5H6.5Q6 11 9 8.5Z'],
    ['dark', 'M5 3H15.5V6L13.5 6.5V8.5H9.5V6.5H5Z'],
    ['light', 'M8.6 13H14.8V18H8.2Z'],
  ],
  block: [
    ['base', 'M3 12H21V21H3Z'],
    ['light', 'M3 12L5.5 9H18.5L21 12Z'],
    ['dark', 'M6 15h1.5v1.5H6ZM10 17.5h1.5V19H10ZM14.5 15h1.5v1.5h-1.5ZM17.5 18H19v1.5h-1.5Z'],
  ],
  book: [
    ['base', 'M3 16.5H21V21.5H3Z'],
    ['light', 'M5 18H21V20H5Z'],
    ['dark', 'M3 16.5L7 12.5H22L21 16.5Z'],
  ],
  sheet: [
    ['light', 'M4 8H20V21.5H4Z'],
    ['line', 'M6.5 11H17.5M6.5 14H17.5M6.5 17H13'],
  ],
  card: [
    ['base', 'M3 11H21V21.5H3Z'],
    ['dark', 'M3 13.2H21V15.4H3Z'],
    ['light', 'M5 17.5H11V19.2H5Z'],
  ],
  screen: [
    ['dark', 'M4.5 6H19.5V17H4.5Z'],
    ['base', 'M6 7.5H18V15.5H6Z'],
    ['dark', 'M2 18.2H22V21.5H2Z'],
  ],
  phone: [
    [
      'dark',
      'M7.5 4H16.5Q17.5 4 17.5 5V20.5Q17.5 21.5 16.5 21.5H7.5Q6.5 21.5 6.5 20.5V5Q6.5 4 7.5 4Z',
    ],
    ['base', 'M8 6.5H16V17.5H8Z'],
    ['light', 'M11 18.8H13V20H11Z'],
  ],
  remote: [
    ['base', 'M9 3.5H15Q16 3.5 16 4.5V20.5Q16 21.5 15 21.5H9Q8 21.5 8 20.5V4.5Q8 3.5 9 3.5Z'],
    [
      'light',
      'M10.7 6H13.3V8.4H10.7ZM10 11H11.4V12.4H10ZM12.6 11H14V12.4H12.6ZM10 14H11.4V15.4H10ZM12.6 14H14V15.4H12.6Z',
    ],
  ],
  disc: [
    ['base', 'M12 5.5A8 8 0 1 0 12 21.5A8 8 0 1 0 12 5.5Z'],
    ['light', 'M12 10.5A3 3 0 1 0 12 16.5A3 3 0 1 0 12 10.5Z'],
  ],
  clock: [
    ['base', 'M12 4.5A8.5 8.5 0 1 0 12 21.5A8.5 8.5 0 1 0 12 4.5Z'],
    ['light', 'M12 7A6 6 0 1 0 12 19A6 6 0 1 0 12 7Z'],
    ['line', 'M12 13V9.2M12 13L15 14.6'],
  ],
  watch: [
    ['dark', 'M9 3H15L14.4 8H9.6ZM9.6 18H14.4L15 22H9Z'],
    ['base', 'M12 7A6 6 0 1 0 12 19A6 6 0 1 0 12 7Z'],
    ['light', 'M12 9A4 4 0 1 0 12 17A4 4 0 1 0 12 9Z'],
  ],
  keys: [
    ['line', 'M12 4.5A3.5 3.5 0 1 0 12 11.5A3.5 3.5 0 1 0 12 4.5Z'],
    ['base', 'M8 10L10 11.2L7 21.5L4 20ZM14 11.2L16 10L20 20L17 21.5Z'],
  ],
  pen: [
    ['base', 'M4.5 19L16.5 4L19.5 6.4L7.5 21.4Z'],
    ['dark', 'M4.5 19L7.5 21.4L3 22.5Z'],
  ],
  ball: [
    ['base', 'M12 5A8.2 8.2 0 1 0 12 21.4A8.2 8.2 0 1 0 12 5Z'],
    ['line', 'M4 13H20M12 5V21.4M6 7.5Q11 13 6 19M18 7.5Q13 13 18 19'],
  ],
  bat: [
    ['base', 'M3 20L12 9.5Q16 3.5 19.5 3.5Q21.5 5 20 8.5Q18 12 13.8 13L4.6 21.6Z'],
    ['dark', 'M2.5 20.5L4.2 22.2L5.8 20.6L4 18.9Z'],
  ],
  bear: [
    [
      'base',
      'M7 3.5A2.6 2.6 0 0 1 9.4 5.4Q12 4.6 14.6 5.4A2.6 2.6 0 1 1 17.4 9Q17.6 11.6 15.6 13Q19.5 15 18.5 20.5Q12 22.5 5.5 20.5Q4.5 15 8.4 13Q6.4 11.6 6.6 9A2.6 2.6 0 0 1 7 3.5Z',
    ],
    [
      'light',
      'M10 10.2Q12 9 14 10.2Q14 12 12 12.2Q10 12 10 10.2ZM9 16Q12 14.5 15 16Q15 20 12 20Q9 20 9 16Z',
    ],
  ],
  cushion: [
    ['base', 'M3 10Q12 7.5 21 10Q22.6 15.5 21 20.5Q12 22.5 3 20.5Q1.4 15.5 3 10Z'],
    ['light', 'M6 12.5Q12 11 15 12.2Q10 13.5 7.2 17.5Q5.6 15 6 12.5Z'],
  ],
  cloth: [
    ['base', 'M4 9H20V21.5L16 20L12 21.5L8 20L4 21.5Z'],
    ['dark', 'M4 9H20V11H4ZM4 16H20V17.4H4Z'],
  ],
  roll: [
    ['base', 'M6 7H18V21.5H6Z'],
    ['light', 'M12 4.5A6 2.6 0 1 0 12 9.7A6 2.6 0 1 0 12 4.5Z'],
    ['dark', 'M12 6A2.2 1 0 1 0 12 8.2A2.2 1 0 1 0 12 6Z'],
  ],
  box: [
    ['base', 'M3 11H21V21.5H3Z'],
    ['dark', 'M8.5 11H15.5V13.2H8.5Z'],
    ['light', 'M9 11Q9 6 12 5.5Q15 6 15 11Z'],
  ],
  candle: [
    ['base', 'M8.5 10.5H15.5V21.5H8.5Z'],
    ['dark', 'M11.5 7.5H12.5V10.5H11.5Z'],
    ['light', 'M12 2Q14.4 5.2 12 8Q9.6 5.2 12 2Z'],
  ],
  vase: [
    ['base', 'M9 8H15L14 11.5Q18.5 14 16.5 21.5H7.5Q5.5 14 10 11.5Z'],
    ['leaf', 'M12 8Q9 6 8.5 2Q12 3 12 8ZM12 8Q15 6 16 2.5Q12.4 3.4 12 8Z'],
  ],
  statue: [
    ['base', 'M12 2.5A3 3 0 1 1 11.9 8.5Q16 9 16 13L15 17.5H9L8 13Q8 9 11.9 8.5A3 3 0 0 1 12 2.5Z'],
    ['dark', 'M6 17.5H18V21.5H6Z'],
  ],
  lamp: [
    ['light', 'M8 3H16L19.5 11H4.5Z'],
    ['dark', 'M11.2 11H12.8V19.5H11.2ZM7 19.5H17V21.5H7Z'],
  ],
  thing: [['base', 'M4 9H20V21.5H4Z']],
} as const satisfies Record<string, readonly Part[]>;

export type Shape = keyof typeof SHAPES;

/** A thing's picture: how it is shaped, and its colour. */
export interface Icon {
  readonly shape: Shape;
  readonly colour: string;
}

export const partsOf = ({ shape }: Icon): readonly Part[] => SHAPES[shape];
