import type { EnvironmentView, EnvironmentViewProps } from '../views.ts';
import { webshopId } from './options.ts';
import { ShopView } from './shop-view.tsx';
import './view.css';
import { WebView } from './web-view.tsx';

function PagesView(props: EnvironmentViewProps) {
  return props.environmentId === webshopId ? <ShopView {...props} /> : <WebView {...props} />;
}

/** An action names a part of the page, so the page's list of actions suits it better than keys. */
export const view: EnvironmentView = { Component: PagesView, keys: {} };
