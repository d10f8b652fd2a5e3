/** Dialogues of the page environments in the suite's format, written by hand. */

import { describe, expect, it } from 'vitest';
import { loadEnvironments } from '../../envs/registry.ts';
import { importTrajectories } from './trajectory-import.ts';

await loadEnvironments();

const RULES = 'You are web shopping.\nI will give you instructions about what to do.';

/** A dialogue in the AgentTraj layout: rules, observations, and thoughts with actions. */
function item(id: string, observations: readonly string[], turns: readonly string[]) {
  const conversations: { from: string; loss: boolean | null; value: string }[] = [
    { from: 'human', loss: null, value: RULES },
    { from: 'gpt', loss: false, value: 'Ok.' },
  ];
  for (const [i, value] of observations.entries()) {
    conversations.push({ from: 'human', loss: null, value });
    const turn = turns[i];
    if (turn !== undefined) {
      conversations.push({ from: 'gpt', loss: true, value: `Thought:\nOn.\n\nAction:\n${turn}` });
    }
  }
  return { item_id: id, conversations };
}

const read = (items: readonly unknown[]) => importTrajectories(JSON.stringify(items), []);

describe('a web shop dialogue', () => {
  const goal =
    'Instruction: [SEP] Find me bird feeders with silver trim with color: blue, and price lower than 60.00 dollars [SEP] Back to Search';
  const page = (blue: string) =>
    `${goal} [SEP] < Prev [SEP] color [SEP] black [SEP] ${blue} [SEP] orange [SEP] easy clean bird feeders with silver trim by Kestra [SEP] Price: $39.0 [SEP] Rating: N.A. [SEP] Description [SEP] Features [SEP] Reviews [SEP] Buy Now`;
  const observations = [
    `${goal} [SEP] Page 1 (Total results: 4) [SEP] B01 [SEP] extra strong bird feeders with silver trim by Elmva [SEP] $44.0 [SEP] B07 [SEP] easy clean bird feeders with silver trim by Dorrik [SEP] $9.0 [SEP] B09 [SEP] easy clean bird feeders with silver trim by Kestra [SEP] $39.0 [SEP] B11 [SEP] hand made bird feeders with silver trim by Arvel [SEP] $79.0`,
    page('blue'),
    page('blue (chosen)'),
    'Thank you for shopping with us! [SEP] Your score (min 0.0, max 1.0) [SEP] 1.00',
  ];

  it('is replayed in a known shop, ignoring the case of actions', () => {
    const turns = ['click[b09]', 'click[blue]', 'click[buy now]'];
    const [found] = read([item('webshop_1', observations, turns)]);
    expect(found?.replay.kind).toBe('exact');
    expect(found?.record).toMatchObject({
      environment: { id: 'pages/webshop-v1', options: { rung: 'two' } },
      taskId: 'webshop_1',
      success: true,
      score: 1,
    });
    expect(found?.record.turns.map(({ action, thought }) => [action, thought])).toEqual(
      turns.map((turn) => [turn, 'On.']),
    );
  });

  it('is shown as text if the shop is unknown', () => {
    const elsewhere = [
      "WebShop [SEP] Instruction: [SEP] Find me slim fit women's jumpsuits with short sleeve with color: green, and size: large, and price lower than 60.00 dollars [SEP] Search",
      "Instruction: [SEP] Find me slim fit women's jumpsuits with short sleeve with color: green, and size: large, and price lower than 60.00 dollars [SEP] Back to Search [SEP] Page 1 (Total results: 50) [SEP] Next > [SEP] B09QQP3356 [SEP] Jumpsuit for women, casual [SEP] $9.0",
      "Instruction: [SEP] Find me slim fit women's jumpsuits with short sleeve with color: green, and size: large, and price lower than 60.00 dollars [SEP] Back to Search [SEP] < Prev [SEP] color [SEP] green [SEP] blue [SEP] size [SEP] large [SEP] Jumpsuit for women, casual [SEP] Price: $9.0 [SEP] Rating: N.A. [SEP] Description [SEP] Features [SEP] Reviews [SEP] Buy Now",
    ];
    const turns = ["search[women's jumpsuits slim fit]", 'click[b09qqp3356]', 'click[green]'];
    const [found, unknown] = read([
      item('webshop_12', elsewhere, turns),
      item('webshop_6000', elsewhere, turns),
    ]);
    expect(found?.replay).toEqual({
      kind: 'text',
      why: 'No environment reproduces the recorded dialogue of webshop_12, so it is shown as text.',
    });
    expect(found?.record.turns.map(({ action }) => action)).toEqual(turns);
    expect(unknown?.replay).toEqual({
      kind: 'text',
      why: 'No environment has a task webshop_6000, so it is shown as text.',
    });
  });
});

describe('a website dialogue', () => {
  const objective = "OBJECTIVE: Open 'lunch boxes'. PREVIOUS ACTION:";

  it('is replayed on known sites, with actions in backticks', () => {
    const observations = [
      `OBSERVATION: Tab 0 (current): 'Kitchen' [1] link 'Home' [2] link 'Shop' [3] heading 'Kitchen' [4] link 'water bottles' [5] link 'lunch boxes' [6] link 'coffee mugs' [7] link 'frying pans' URL: shop/category/0 ${objective} None`,
      `OBSERVATION: Tab 0 (current): 'lunch boxes' [1] link 'Home' [2] link 'Shop' [3] heading 'lunch boxes' [4] StaticText 'Price' [5] StaticText '$34.00' [6] StaticText 'Stock' [7] StaticText '8' [8] button 'Add to Cart' URL: shop/product/1 ${objective} click [5] where [5] is link 'lunch boxes'`,
      'The objective is reached.',
    ];
    const [found] = read([item('webarena_0', observations, ['```click [5]```', '```stop []```'])]);
    expect(found?.replay.kind).toBe('exact');
    expect(found?.record).toMatchObject({
      environment: { id: 'pages/webarena-v1', options: { rung: 'two' } },
      success: true,
      score: 1,
    });
  });

  it('is shown as text if the sites are unknown', () => {
    const elsewhere = [
      "OBSERVATION:\nTab 0 (current): My Orders\n\n[1] RootWebArea 'My Orders' focused: True\n\t[12] link 'Orders'\n\t[63] textbox 'Search' required: False\n\t[9] StaticText '$279.49'\nURL: http://shop.example/orders\nOBJECTIVE: What is the total of my last order?\nPREVIOUS ACTION: None",
      'done',
    ];
    const [found] = read([item('webarena_3', elsewhere, ['```stop [$279.49]```'])]);
    expect(found?.replay).toEqual({
      kind: 'text',
      why: 'No environment reproduces the recorded dialogue of webarena_3, so it is shown as text.',
    });
    expect(found?.record.turns.map(({ action }) => action)).toEqual(['```stop [$279.49]```']);
  });
});
