/** What is known about the page environments before their code is loaded. */

import type { FamilyCard } from '../types.ts';
import { webarenaId, webarenaOptions, webshopId, webshopOptions } from './options.ts';

/** Shopping, after the WebShop environment (arXiv:2207.01206) as used by AgentGym (arXiv:2406.04151). */
export const webshopCard = {
  id: webshopId,
  title: 'Pages: web shop',
  explanation:
    'The agent is asked for a product, such as water proof phone cases in red for less than 40 dollars. It searches a shop, opens results, chooses color and size and buys. Every goal has its own shop, full of near misses. The reward is the share of the wishes that the purchase fulfils. Evaluation asks for kinds of products with properties that training never asks for.',
  options: webshopOptions,
} as const satisfies FamilyCard;

/** Tasks on websites, after WebArena (arXiv:2307.13854) as used by AgentGym (arXiv:2406.04151). */
export const webarenaCard = {
  id: webarenaId,
  title: 'Pages: web sites',
  explanation:
    'The agent runs errands on a small web: a shop with its back office, a forum, a wiki and a map. It reads the numbered parts of a page, clicks, types, scrolls, changes tabs, and stops with an answer. It succeeds if the answer, the open page or the records are as required. Every errand has its own sites, and evaluation objectives do not occur in training.',
  options: webarenaOptions,
} as const satisfies FamilyCard;

export const pagesCards: readonly FamilyCard[] = [webshopCard, webarenaCard];
