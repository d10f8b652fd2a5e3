/** Icons of ALFWorld's things. */

import type { Icon, Shape } from '../icons.ts';
import type { GoodKind } from './catalogue.ts';

const icon = (shape: Shape, color: string): Icon => ({ shape, color });

const STEEL = '#8f979c';
const IRON = '#5d6468';
const WHITE = '#d9d3c4';

export const ICONS: Readonly<Record<GoodKind, Icon>> = {
  alarmclock: icon('clock', '#b5473a'),
  apple: icon('fruit', '#c23b2e'),
  baseballbat: icon('bat', '#b98a4e'),
  basketball: icon('ball', '#d67a2c'),
  book: icon('book', '#3f6f96'),
  bowl: icon('bowl', '#5f8fa8'),
  bread: icon('loaf', '#c98f4a'),
  butterknife: icon('knife', '#a89b6a'),
  candle: icon('candle', '#dfc98c'),
  cd: icon('disc', '#7d93b8'),
  cellphone: icon('phone', '#6da3c4'),
  cloth: icon('cloth', '#7fae9c'),
  creditcard: icon('card', '#4a7fb5'),
  cup: icon('cup', '#c0714f'),
  desklamp: icon('lamp', '#d8b24a'),
  dishsponge: icon('block', '#d9bf4b'),
  egg: icon('egg', '#e3cba6'),
  fork: icon('fork', STEEL),
  glassbottle: icon('bottle', '#7fb5ad'),
  handtowel: icon('cloth', '#c58aa0'),
  kettle: icon('kettle', '#a3544a'),
  keychain: icon('keys', '#c29a3c'),
  knife: icon('knife', STEEL),
  ladle: icon('ladle', STEEL),
  laptop: icon('screen', '#6f96b3'),
  lettuce: icon('leaves', '#7ba344'),
  mug: icon('mug', '#4f7d8f'),
  newspaper: icon('sheet', '#8c8a84'),
  pan: icon('pan', IRON),
  pen: icon('pen', '#3f5f9c'),
  pencil: icon('pen', '#d09a35'),
  peppershaker: icon('shaker', '#6b5a50'),
  pillow: icon('cushion', '#b9a3c9'),
  plate: icon('plate', '#93a9b5'),
  pot: icon('pot', '#7d8387'),
  potato: icon('potato', '#b08d57'),
  remotecontrol: icon('remote', '#55585c'),
  saltshaker: icon('shaker', WHITE),
  soapbar: icon('block', '#d9a5b3'),
  soapbottle: icon('bottle', '#7e9fc9'),
  spatula: icon('spatula', IRON),
  spoon: icon('spoon', STEEL),
  spraybottle: icon('spray', '#64a9c4'),
  statue: icon('statue', '#a7a08f'),
  teddybear: icon('bear', '#a8764a'),
  tissuebox: icon('box', '#8fb3a0'),
  toiletpaper: icon('roll', WHITE),
  tomato: icon('fruit', '#d9503a'),
  towel: icon('cloth', '#5f93b0'),
  vase: icon('vase', '#9a6f9c'),
  watch: icon('watch', '#b08c3e'),
  winebottle: icon('bottle', '#6d2f44'),
};
