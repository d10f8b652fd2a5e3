import type { EnvironmentView, EnvironmentViewProps } from '../views.ts';
import { webshopId } from './options.ts';
import { ShopView } from './shop-view.tsx';
import './view.css';
import { WebView } from './web-view.tsx';

function PagesView(props: EnvironmentViewProps) {
  return props.environmentId === webshopId ? <ShopView {...props} /> : <WebView {...props} />;
}

/** No keys: an action names a part of the web page. Palestra lists the actions instead. */
export const view: EnvironmentView = { Component: PagesView, keys: {} };
