/** `jsx-runtime.ts` for development builds. */

import type { ElementType, Key } from 'react';
import * as react from '#react/jsx-dev-runtime';
import { rendered } from './current.ts';

export const { Fragment } = react;

export const jsxDEV = (
  type: ElementType,
  properties: unknown,
  key: Key | undefined,
  isStatic: boolean,
  source?: react.JSXSource,
  self?: unknown,
) => react.jsxDEV(type, rendered(type, properties), key, isStatic, source, self);
