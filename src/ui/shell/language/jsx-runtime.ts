/**
 * React's JSX runtime, with texts in the page's language. `vite.config.ts` substitutes it for
 * `react/jsx-runtime`, for the page and its libraries.
 */

import type { ElementType, Key } from 'react';
import * as react from '#react/jsx-runtime';
import { rendered } from './current.ts';

export const { Fragment } = react;

export const jsx = (type: ElementType, properties: unknown, key?: Key) =>
  react.jsx(type, rendered(type, properties), key);

export const jsxs = (type: ElementType, properties: unknown, key?: Key) =>
  react.jsxs(type, rendered(type, properties), key);
