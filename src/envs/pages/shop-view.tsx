import { Mark, Verdict, ViewRoot } from '../view-parts.tsx';
import type { EnvironmentViewProps } from '../views.ts';
import { BrowserFrame } from './frame.tsx';
import { shopDesk } from './kits.ts';
import { iconOf } from './webshop/icons.ts';
import {
  describeScene,
  isPagesState,
  type ShopScene,
  type ShownOptions,
  type ShownProduct,
  shopScene,
  titleOf,
} from './webshop/scene.ts';

/** Delay between cards, as a share of `glide`. */
const WAITING = 0.12;

/** The requirements, and a browser with the results, the open product, or the purchase. */
export function ShopView({ options, taskId, state, glide }: EnvironmentViewProps) {
  if (!isPagesState(state)) return null;
  const scene = shopScene(shopDesk(options), state);
  return (
    <ViewRoot name="pages-view" description={describeScene(scene)} scene={scene}>
      <div className="view-column" key={taskId}>
        <Wishes scene={scene} />
        <BrowserFrame
          address={scene.address}
          last={scene.last}
          turn={scene.turn}
          turnLimit={scene.turnLimit}
          glide={glide}
        >
          <div className="shop-page" key={scene.address}>
            <ShopPage scene={scene} glide={glide} />
          </div>
        </BrowserFrame>
        <Outcome scene={scene} glide={glide} />
      </div>
    </ViewRoot>
  );
}

/** The requirements, each with a tick or a cross once the open product shows whether it is met. */
function Wishes({ scene: { wishes } }: { readonly scene: ShopScene }) {
  return (
    <p className="shop-wishes">
      {wishes.map(({ text, met }) => (
        <span
          key={text}
          className={
            met === null ? 'shop-wish' : met ? 'shop-wish shop-met' : 'shop-wish shop-unmet'
          }
        >
          {met === null ? null : <Mark right={met} />}
          {text}
        </span>
      ))}
    </p>
  );
}

interface PartProps {
  readonly scene: ShopScene;
  readonly glide: number;
}

function ShopPage({ scene, glide }: PartProps) {
  switch (scene.at) {
    case 'search':
      return (
        <div className="shop-search">
          <span className="shop-sign">WebShop</span>
          <span className="shop-box">
            <svg viewBox="0 0 16 16" aria-hidden="true">
              <circle cx="6.8" cy="6.8" r="4.6" />
              <path d="m10.3 10.3 4 4" />
            </svg>
            search for products
          </span>
        </div>
      );
    case 'results':
      return <Shelf scene={scene} glide={glide} />;
    default:
      return <OpenProduct scene={scene} glide={glide} />;
  }
}

/** The search results. */
function Shelf({ scene: { shelf, results }, glide }: PartProps) {
  if (shelf.length === 0) return <p className="view-empty">Nothing was found.</p>;
  return (
    <>
      <ul className="shop-shelf">
        {shelf.map((product, i) => (
          <li
            key={product.id}
            className={product.seen ? 'shop-card shop-seen' : 'shop-card'}
            style={{ animationDuration: `${glide}ms`, animationDelay: `${WAITING * i * glide}ms` }}
          >
            <Icon product={product} />
            <b>{product.id}</b>
            <span className="shop-price">${product.price}</span>
            <span className="shop-title">
              {product.kind} by {product.brand}
            </span>
            {product.attributes.map((attribute) => (
              <small key={attribute}>{attribute}</small>
            ))}
          </li>
        ))}
      </ul>
      <p className="shop-pages">page {results.page}</p>
    </>
  );
}

/** CSS colors of product options. */
const PAINTS: Readonly<Record<string, string>> = {
  black: '#3a3a3c',
  blue: '#3f6fb5',
  brown: '#8a5a3b',
  green: '#4f8a4c',
  grey: '#8d9196',
  orange: '#dd8a33',
  pink: '#dd85a5',
  purple: '#7d5aa6',
  red: '#bf3f3c',
  white: '#f1eee6',
  yellow: '#e2bf3f',
  'navy blue': '#27406f',
  'sky blue': '#79b3dc',
  'olive green': '#7f8545',
};

function Icon({ product: { kind, color } }: { readonly product: ShownProduct }) {
  const path = iconOf(kind);
  if (path === null) return null;
  const fill = (color === null ? undefined : PAINTS[color]) ?? 'var(--p-aegean)';
  return (
    <svg className="shop-icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={path} fillRule="evenodd" style={{ fill }} />
    </svg>
  );
}

function OpenProduct({ scene, glide }: PartProps) {
  const { product, options, sheet, at, reward } = scene;
  if (product === null) return null;
  return (
    <div className="shop-product" style={{ animationDuration: `${glide}ms` }}>
      <Icon product={product} />
      <div>
        <p className="shop-name">
          <b>{product.id}</b> {titleOf(product)}
        </p>
        <p className="shop-price">${product.price}</p>
        {options.map((group) => (
          <Options key={group.group} options={group} glide={glide} />
        ))}
        {sheet === null ? null : (
          <div className="shop-sheet" style={{ animationDuration: `${glide}ms` }}>
            <b>{sheet.title}</b>
            <ul>
              {sheet.lines.map((line) => (
                <li key={line}>{line}</li>
              ))}
            </ul>
          </div>
        )}
        {at === 'bought' && reward !== null ? (
          <p className="shop-stamp" style={{ animationDuration: `${glide}ms` }}>
            bought · {Number(reward.toFixed(2))} of 1
          </p>
        ) : null}
      </div>
    </div>
  );
}

interface OptionsProps {
  readonly options: ShownOptions;
  readonly glide: number;
}

function Options({ options: { group, values }, glide }: OptionsProps) {
  return (
    <p className="shop-options">
      <small>{group}</small>
      {values.map(({ text, chosen }) => (
        <span
          key={`${text} ${chosen}`}
          className={chosen ? 'shop-value shop-chosen' : 'shop-value'}
          style={chosen ? { animationDuration: `${glide}ms` } : undefined}
        >
          {PAINTS[text] === undefined ? null : <i style={{ background: PAINTS[text] }} />}
          {text}
        </span>
      ))}
    </p>
  );
}

function Outcome({ scene: { outcome, reward, truth }, glide }: PartProps) {
  const right = outcome === 'running' ? null : outcome === 'success';
  return (
    <Verdict
      right={right}
      glide={glide}
      truth={
        truth === null ? null : (
          <>
            <b>{truth.id}</b> was the correct product
          </>
        )
      }
    >
      {right === null
        ? 'nothing bought yet'
        : reward === null
          ? 'No turns are left.'
          : right
            ? 'All requirements are met.'
            : `Reward ${reward.toFixed(2)}: not all requirements are met.`}
    </Verdict>
  );
}
