/** Icon of each kind of product: one filled path on 24 × 24. */

const ICONS: Readonly<Record<string, string>> = {
  "women's jumpsuits": 'M9 2h2l1 2 1-2h2l1 8-1 2 2 10h-3.5L12 14l-1.5 8H7l2-10-1-2z',
  "men's shirts": 'M8 3l4 2 4-2 5 4-2.5 4L16 9.5V21H8V9.5L5.5 11 3 7z',
  'winter jackets': 'M8 2h8l1 2 4 3v9h-3v-5l-1 11h-4.3V6h-1.4v16H7L6 11v5H3V7l4-3z',
  'cargo trousers': 'M7 2h10l2 20h-5L12 9l-2 13H5z',
  'hiking boots': 'M6 3h7v8l7 3c1 .5 1 1.5 1 3H6zM5 18h16v3H5z',
  'canvas sneakers': 'M3 9l3-2 3 3 4-3 2 4 5 2c1.5.5 2 1.5 2 3H3zM3 17h19v2H3z',
  'leather sandals': 'M5 16c0-6 3-9 5-9l2 4 3-3c3 1 5 4 5 8zM3 17h19v3H3z',
  'house slippers': 'M3 15c0-5 4-8 9-7 3 .6 4 3 4 6h5c1 0 1.5 1 1.5 2H3zM3 17.5h19V20H3z',
  'water bottles': 'M10 1h4v3h-4zM9 5h6l1 3v12c0 1.5-1 2-2 2h-4c-1 0-2-.5-2-2V8z',
  'lunch boxes':
    'M9 4h6v3h4c1 0 2 1 2 2v3H3V9c0-1 1-2 2-2h4zm1.5 1.5V7h3V5.5zM3 13.5h7V16h4v-2.5h7V20H3z',
  'coffee mugs':
    'M4 6h12v2h2.5c2 0 3.5 1.5 3.5 4s-1.5 4-3.5 4H16c0 3-1 4-3 4H7c-2 0-3-1-3-4zm12 4v4h2c1.3 0 2-.7 2-2s-.7-2-2-2z',
  'frying pans': 'M8 4a7 7 0 0 1 6.8 5.5H23v3h-8.2A7 7 0 1 1 8 4zm0 3a4 4 0 1 0 0 8 4 4 0 0 0 0-8z',
  'table lamps': 'M8 2h8l4 10H4zM11 13h2v6h4v3H7v-3h4z',
  'throw pillows': 'M3 4c6 2 12 2 18 0-1.5 5-1.5 11 0 16-6-2-12-2-18 0 1.5-5 1.5-11 0-16z',
  'shower curtains':
    'M2 2h20v2H2zM4 5h4v16l-2-1.5L4 21zM9.5 5h5v16L12 19.5 9.5 21zM16 5h4v16l-2-1.5-2 1.5z',
  'area rugs':
    'M5 5h14v14H5zM2 5h2v2H2zm0 4h2v2H2zm0 4h2v2H2zm0 4h2v2H2zM20 5h2v2h-2zm0 4h2v2h-2zm0 4h2v2h-2zm0 4h2v2h-2z',
  'phone cases':
    'M8 1h8c1.5 0 2.5 1 2.5 2.5v17c0 1.5-1 2.5-2.5 2.5H8c-1.5 0-2.5-1-2.5-2.5v-17C5.5 2 6.5 1 8 1zm.5 3v3h3V4z',
  'wireless headphones':
    'M12 3c5.5 0 9 4 9 9v8h-5v-7h2.5v-1c0-4-2.5-6.5-6.5-6.5S5.5 8 5.5 12v1H8v7H3v-8c0-5 3.5-9 9-9z',
  'desk speakers':
    'M6 2h12v20H6zm6 2.5a2 2 0 1 0 0 4 2 2 0 0 0 0-4zm0 6.5a4.3 4.3 0 1 0 0 8.6 4.3 4.3 0 0 0 0-8.6z',
  'tablet stands': 'M5 2h14v13H5zm2 2v9h10V4zM11 15.5h2V19h5v3H6v-3h5z',
  'plant pots':
    'M11 9c-4 0-5-2.5-5-6 3.5 0 5 1.5 5.5 3.5C12.5 4 14.5 3 18 3c0 4-1.5 6-5 6v2h6v3H5v-3h6zM6 15h12l-1.5 7h-9z',
  'garden gloves':
    'M7 10V4c0-1.3 2-1.3 2 0v4h.7V3c0-1.3 2-1.3 2 0v5h.7V3.5c0-1.3 2-1.3 2 0V9h.7V6c0-1.3 1.9-1.3 1.9 0v9c0 2-1 3-2 4v3H9v-3l-5-6c-1-1.3.8-2.5 1.8-1.5z',
  'watering cans':
    'M7 9h10v12H7zM17 12l4-6 1.5 1L18 16zM7 7c0-5 10-5 10 1h-2c0-3-6-3-6 0v1H7zM2 10l5 3v3L1 12z',
  'bird feeders': 'M12 2l7 6h-2v8h4v3H3v-3h4V8H5zm-2.5 7v6h5V9zM11 20h2v3h-2z',
};

/** The icon of a kind of product; null if it has none. */
export const iconOf = (kind: string): string | null => ICONS[kind] ?? null;
