import { describe, expect, it } from 'vitest';
import { bracketSpoilers, playMalformed, type Spoiler } from '../../testing/malformed.ts';
import { families } from '../index.ts';
import { webDesk } from '../kits.ts';
import { webarenaId } from '../options.ts';
import { judgeWeb } from './kit.ts';
import { describeWeb, webScene } from './scene.ts';

const family = families.find(({ id }) => id === webarenaId);
if (family === undefined) throw new Error('there is no web');

/** The observations of an episode with the given actions. */
function story(rung: string, task: string, actions: readonly string[]) {
  const environment = family?.create({ rung });
  if (environment === undefined) throw new Error('there is no web');
  const desk = webDesk({ rung });
  let { state, observation } = environment.reset(task);
  const texts = [observation];
  const scenes = [webScene(desk, state)];
  let last = { reward: 0, terminated: false, understood: true };
  for (const action of actions) {
    const after = environment.step(state, action);
    ({ state, observation } = after);
    last = after;
    texts.push(observation);
    scenes.push(webScene(desk, state));
  }
  const { task: errand, place } = desk.read(state);
  return { texts, scenes, environment, state, last, errand, place };
}

describe('WebArena page', () => {
  it('is shown as tabs, numbered parts, address, objective and the last action', () => {
    const { texts } = story('two', 'webarena_0', ['click [5]', "stop ['done']"]);
    expect(texts).toEqual([
      "OBSERVATION: Tab 0 (current): 'Kitchen' [1] link 'Home' [2] link 'Shop' [3] heading 'Kitchen' [4] link 'water bottles' [5] link 'lunch boxes' [6] link 'coffee mugs' [7] link 'frying pans' URL: shop/category/0 OBJECTIVE: Open 'lunch boxes'. PREVIOUS ACTION: None",
      "OBSERVATION: Tab 0 (current): 'lunch boxes' [1] link 'Home' [2] link 'Shop' [3] heading 'lunch boxes' [4] StaticText 'Price' [5] StaticText '$34.00' [6] StaticText 'Stock' [7] StaticText '8' [8] button 'Add to Cart' URL: shop/product/1 OBJECTIVE: Open 'lunch boxes'. PREVIOUS ACTION: click [5] where [5] is link 'lunch boxes'",
      'The objective is reached.',
    ]);
  });

  it('shows sixteen parts at once; scrolling reveals the others', () => {
    const { texts, last } = story('one', 'webarena_4', [
      'click [18]',
      'scroll [down]',
      'click [1]',
      'press [PageUp]',
      'click [1]',
    ]);
    expect(texts[0]).not.toContain('Known for');
    expect(texts[1]).toContain('PREVIOUS ACTION: Invalid action: nothing in view has this id.');
    expect(texts[2]).toMatch(/\(current\): 'Falun' \[3\] heading .* \[17\] StaticText 'Known for'/);
    expect(texts[3]).toContain('Invalid action');
    expect(texts[4]).toContain("[1] link 'Home'");
    expect(last.understood).toBe(true);
    expect(texts[5]).toContain("Tab 0 (current): 'Home'");
  });
});

describe('WebArena browser', () => {
  it('types with or without Enter, and omits the typed text from the description', () => {
    const { texts } = story('three', 'webarena_2', [
      "type [4] ['Green roofs'] [0]",
      'click [5]',
      "type [4] ['violins'] [1]",
    ]);
    expect(texts[1]).toContain(
      "[4] textbox 'Search' required: False 'Green roofs' [5] button 'Search'",
    );
    expect(texts[1]).toMatch(/PREVIOUS ACTION: type \[4\] where \[4\] is textbox 'Search'$/);
    expect(texts[2]).toContain("[6] link 'Green roofs' URL: forum/search");
    expect(texts[3]).toContain("[6] StaticText 'Nothing was found'");
  });

  it('opens, switches and closes tabs, and goes back and forward', () => {
    const { texts } = story('two', 'webarena_0', [
      'click [5]',
      'go_back',
      'go_forward',
      'new_tab',
      'goto [wiki]',
      'tab_focus [0]',
      'tab_focus [2]',
      'tab_focus [1]',
      'close_tab',
      'close_tab',
    ]);
    const tabs = texts.map((text) => /OBSERVATION: (.*?) \[1\]/.exec(text)?.[1]);
    expect(tabs).toEqual([
      "Tab 0 (current): 'Kitchen'",
      "Tab 0 (current): 'lunch boxes'",
      "Tab 0 (current): 'Kitchen'",
      "Tab 0 (current): 'lunch boxes'",
      "Tab 0: 'lunch boxes' Tab 1 (current): 'Home'",
      "Tab 0: 'lunch boxes' Tab 1 (current): 'Wiki'",
      "Tab 0 (current): 'lunch boxes' Tab 1: 'Wiki'",
      "Tab 0 (current): 'lunch boxes' Tab 1: 'Wiki'",
      "Tab 0: 'lunch boxes' Tab 1 (current): 'Wiki'",
      "Tab 0 (current): 'lunch boxes'",
      "Tab 0 (current): 'lunch boxes'",
    ]);
    expect(texts[7]).toContain('Invalid action: there is no such tab.');
    expect(texts[10]).toContain('Invalid action: there is no such tab.');
  });

  it('accepts backticks and missing quotes, and rejects other texts with a reason', () => {
    expect(story('two', 'webarena_0', ['```click [5]```', 'stop [done]']).last.reward).toBe(1);
    for (const [action, reason] of [
      ['open the page', 'Cannot parse action from response.'],
      ['click [5', 'Cannot parse action from response.'],
      ['click', 'Cannot parse action from response.'],
      ['scroll [left]', 'Cannot parse action from response.'],
      ['click [99]', 'Invalid action: nothing in view has this id.'],
      ['type [5] [tea] [1]', 'Invalid action: this element takes no text.'],
      ['goto [http://example.org]', 'Invalid action: there is no such address.'],
      ['goto [__proto__/constructor]', 'Invalid action: there is no such address.'],
    ]) {
      const { texts, last } = story('two', 'webarena_0', [action ?? '']);
      expect(texts[1], action).toMatch(
        new RegExp(`PREVIOUS ACTION: ${reason?.replace('.', '\\.')}$`),
      );
      expect(last).toMatchObject({ understood: false, reward: 0, terminated: false });
    }
  });
});

describe('WebArena evaluator', () => {
  it('ignores case when comparing answers', () => {
    expect(story('one', 'webarena_4', ["stop ['elin marsk']"]).last.reward).toBe(1);
    expect(story('one', 'webarena_4', ['stop [Elin Marsk is]']).last.reward).toBe(0);
    expect(story('one', 'webarena_4', ['stop']).last).toMatchObject({
      reward: 0,
      terminated: true,
    });
  });

  it('checks the open page', () => {
    const { errand, place } = story('two', 'webarena_0', ['click [4]', 'stop [done]']);
    expect(judgeWeb(errand, place)).toEqual({ answer: true, page: false, records: true });
    expect(story('two', 'webarena_0', ['goto [shop/product/1]', 'stop []']).last.reward).toBe(1);
  });

  it('requires exactly the requested changes to the records', () => {
    const way = ["type [4] ['First guitar'] [1]", 'click [6]'];
    expect(story('two', 'webarena_13', [...way, 'click [8]', 'stop [done]']).last.reward).toBe(1);
    expect(story('two', 'webarena_13', [...way, 'stop [done]']).last.reward).toBe(0);
    const more = [...way, 'click [8]', "type [11] ['I agree'] [0]", 'click [12]', 'stop [done]'];
    expect(story('two', 'webarena_13', more).last.reward).toBe(0);
  });

  it('keeps a price if its form is submitted with text that is not a price', () => {
    const way = ['click [4]', 'click [4]'];
    const set = (text: string) => [...way, `type [4] ['${text}'] [0]`, 'click [6]'];
    const { place: odd } = story('three', 'webarena_0', set('a lot'));
    const { place: price, errand } = story('three', 'webarena_0', set('$19.00'));
    expect(odd.records.prices).toEqual(errand.web.records.prices);
    expect(price.records.prices[0]).toBe(19);
  });
});

describe('WebArena scene', () => {
  it('shows the page, the part used last and, at the end, the faults', () => {
    const way = ["type [4] ['First guitar'] [1]", 'click [6]', 'click [8]', 'stop [done]'];
    const { scenes } = story('two', 'webarena_13', way);
    expect(scenes[0]?.objective).toEqual([
      { text: 'Give an upvote to ', name: false },
      { text: 'First guitar', name: true },
      { text: '.', name: false },
    ]);
    expect(scenes[2]?.parts.some(({ touched }) => touched)).toBe(false);
    expect(scenes[2]?.last?.said).toBe("click [6] where [6] is link 'First guitar'");
    // The pressed button is gone; a text box stays.
    expect(scenes[3]?.parts.some(({ touched }) => touched)).toBe(false);
    const typed = story('two', 'webarena_13', ["type [4] ['First guitar'] [0]"]).scenes[1];
    expect(typed?.parts.filter(({ touched }) => touched)).toMatchObject([
      { id: 4, value: 'First guitar' },
    ]);
    expect(scenes[4]).toMatchObject({ outcome: 'success', answer: 'done', faults: [] });
    const missed = story('two', 'webarena_13', ['dance\u0007', 'stop [tea]']).scenes;
    expect(missed[1]?.last).toEqual({ said: 'dance', understood: false });
    expect(missed[2]).toMatchObject({
      outcome: 'missed',
      faults: ['The records do not match the objective.'],
    });
    const idle = story('one', 'webarena_4', Array<string>(25).fill('wait')).scenes;
    expect(idle.at(-1)).toMatchObject({ outcome: 'out of turns', answer: null, below: 2 });
  });

  it('has a text description', () => {
    const { scenes } = story('one', 'webarena_4', ["stop ['Elz']"]);
    const [page, end] = scenes.map(describeWeb);
    expect(page).toMatch(
      /^Objective: What is the Mayor of Falun\? The page wiki\/article\/1 shows 1 /,
    );
    expect(end).toContain(
      'Stopped with Elz: the objective is not reached. The correct answer is Elin Marsk.',
    );
  });
});

const spoilers: readonly Spoiler[] = [
  ...bracketSpoilers,
  (action) => `${action} ${action}`,
  (action, at) => action.replace(/\[\d+\]/, `[${at + 30}]`),
  (action, _, other) => action.replace(/\[.*\]/, `[${other}]`),
  (action) => action.replace(/^\w+/, 'touch'),
  (action) => action.replace(/\[.*\]/, '[__proto__]'),
  (action, at) => `type [4] [${action.repeat(10 * at)}] [1]`,
];

describe('WebArena under a thousand malformed actions', () => {
  it('replies to each action quickly, using only lexemes of its vocabulary', () => {
    const malformed = playMalformed(
      family.create(),
      spoilers,
      /PREVIOUS ACTION: (Invalid action: |Cannot parse)/,
    );
    expect(malformed).toBeGreaterThan(500);
  });
});
