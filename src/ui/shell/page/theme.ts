import {
  createTheme,
  defaultVariantColorsResolver,
  type MantineColorsTuple,
  Menu,
} from '@mantine/core';

/** Fired clay: the accent color, also for the agent's actions. */
const terracotta: MantineColorsTuple = [
  '#fdf1ea',
  '#f7dfd2',
  '#efbfa5',
  '#e69c75',
  '#dd7e4e',
  '#cf6a3a',
  '#b1502b',
  '#964223',
  '#79351d',
  '#5d2917',
];

/** Olive leaf: success. */
const olive: MantineColorsTuple = [
  '#f6f7e8',
  '#e9ebcd',
  '#d4d99f',
  '#bdc56e',
  '#a6b04b',
  '#8c9738',
  '#6d782b',
  '#576023',
  '#454c1e',
  '#343917',
];

/** Ochre: warnings. */
const ochre: MantineColorsTuple = [
  '#fbf4e2',
  '#f4e6c1',
  '#ead08c',
  '#dfb257',
  '#d09a31',
  '#b98217',
  '#9c6c10',
  '#845b0e',
  '#5f420c',
  '#3f2c09',
];

/** Warm neutral from limestone to lamp black; replaces Mantine's grays. */
const stone: MantineColorsTuple = [
  '#faf7f0',
  '#f2ede1',
  '#e6dfcf',
  '#d6ccb8',
  '#b9ad97',
  '#978b77',
  '#726857',
  '#544c40',
  '#39342c',
  '#221f1a',
];

const dark: MantineColorsTuple = [
  '#ece4d4',
  '#cdc3b1',
  '#a49a89',
  '#776e61',
  '#4f483f',
  '#3b352e',
  '#2a2621',
  '#211e1a',
  '#191714',
  '#12100e',
];

export const serif =
  "'Iowan Old Style', 'Palatino Linotype', Palatino, 'Book Antiqua', 'URW Palladio L', 'P052', Georgia, serif";

export const theme = createTheme({
  variantColorResolver: (input) => {
    const colors = defaultVariantColorsResolver(input);
    // Mantine uses the light shade in dark mode too.
    return input.variant === 'filled' && input.color === input.theme.primaryColor
      ? { ...colors, color: 'var(--mantine-primary-color-contrast)' }
      : colors;
  },
  components: {
    // The placeholder is not a menu item, which confuses screen readers.
    Menu: Menu.extend({ defaultProps: { withInitialFocusPlaceholder: false } }),
    // Keep the scroll bar: hiding it sets a custom property on the body, which restyles every element.
    Drawer: {
      defaultProps: {
        position: 'right',
        overlayProps: { backgroundOpacity: 0.25 },
        removeScrollProps: { removeScrollBar: false },
      },
      classNames: { content: 'drawer', title: 'dialog-title' },
    },
    Modal: {
      defaultProps: {
        overlayProps: { backgroundOpacity: 0.35 },
        removeScrollProps: { removeScrollBar: false },
      },
      classNames: { title: 'dialog-title' },
    },
    Button: { defaultProps: { variant: 'default', size: 'xs' } },
    NumberInput: { defaultProps: { size: 'xs' } },
    SegmentedControl: { defaultProps: { size: 'xs' } },
    Select: { defaultProps: { size: 'xs', allowDeselect: false } },
    Slider: { defaultProps: { size: 'sm' } },
  },
  primaryColor: 'terracotta',
  primaryShade: { light: 6, dark: 4 },
  autoContrast: true,
  // Dark text on the light clay of dark mode, light text on the fired clay of light mode.
  luminanceThreshold: 0.25,
  white: '#fffcf5',
  black: '#2a2622',
  colors: { terracotta, olive, ochre, gray: stone, dark },
  defaultRadius: 'md',
  // System fonts: a web font would exceed the size budget and load late.
  fontFamily:
    "ui-sans-serif, system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Liberation Sans', sans-serif",
  fontFamilyMonospace:
    "ui-monospace, 'SF Mono', 'Cascadia Code', Menlo, Consolas, 'DejaVu Sans Mono', monospace",
  headings: { fontFamily: serif, fontWeight: '600' },
  cursorType: 'pointer',
  focusRing: 'auto',
  respectReducedMotion: true,
});
