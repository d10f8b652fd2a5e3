import type { EnvironmentView } from '../views.ts';
import { ShopView } from './shop-view.tsx';
import './view.css';

/** An action names a part of the page: the page's list of actions serves it better than keys. */
export const view: EnvironmentView = { Component: ShopView, keys: {} };
