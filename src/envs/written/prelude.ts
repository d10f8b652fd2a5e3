/**
 * Runs in the interpreter before an environment's code. Removes all sources of nondeterminism and
 * offers `call`, through which the host calls the module's functions with JSON in and out. Keeps
 * private copies of built-ins, so code that modifies built-in objects affects only itself.
 */

/** Maximum array length for methods whose loops the interpreter cannot interrupt. */
const MOST_ITEMS = 100_000;

/**
 * Name of the host function that throws if the memory is full; the prelude removes it from the
 * global object.
 */
export const CHECK = '$check';

/** Name of the counter called in every loop. */
export const COUNT = '$count';

/** Maximum loop iterations per call. */
export const MOST_LOOPS = 1_000_000;

/** The counter's message, which the host replaces. */
export const LOOPS_OVER = 'loops over';

export const prelude = `
(() => {
  'use strict';
  const { parse, stringify } = JSON;
  const { isArray, prototype: { slice } } = Array;
  const { apply, defineProperty, ownKeys } = Reflect;
  const { floor } = Math;
  const imul = Math.imul;
  const finite = Number.isFinite;
  const text = String;
  const RangeFault = RangeError, TypeFault = TypeError;

  // A loop inside of such a method is never interrupted.
  for (const name of ['concat', 'copyWithin', 'every', 'fill', 'filter', 'find', 'findIndex',
    'findLast', 'findLastIndex', 'flat', 'flatMap', 'forEach', 'includes', 'indexOf', 'join',
    'lastIndexOf', 'map', 'reduce', 'reduceRight', 'reverse', 'shift', 'slice', 'some', 'sort',
    'splice', 'toLocaleString', 'toReversed', 'toSorted', 'toSpliced', 'toString', 'unshift', 'with']) {
    const method = Array.prototype[name];
    if (typeof method !== 'function') continue;
    const value = { [name](...given) {
      if (!isArray(this)) throw new TypeFault('Array methods are for arrays only');
      if (this.length > ${MOST_ITEMS}) {
        throw new RangeFault('An array has more than ${MOST_ITEMS.toLocaleString('en-US')} items');
      }
      return apply(method, this, given);
    } }[name];
    defineProperty(Array.prototype, name, { value, writable: true, configurable: true });
  }

  let loops = 0;
  const check = globalThis['${CHECK}'];
  delete globalThis['${CHECK}'];
  defineProperty(globalThis, '${COUNT}', {
    value: () => {
      loops++;
      if (loops > ${MOST_LOOPS}) throw new RangeFault('${LOOPS_OVER}');
      if (loops % 256 === 0) check();
    },
  });

  const unrepeatable = (what, instead) => function () {
    throw new TypeFault(what + ' is not repeatable; ' + instead);
  };
  Math.random = unrepeatable('Math.random', 'use the argument random of reset and step');
  for (const name of ['Date', 'Proxy', 'Promise', 'SharedArrayBuffer', 'WeakRef', 'FinalizationRegistry', 'eval']) {
    delete globalThis[name];
  }
  globalThis.Date = unrepeatable('Date', 'count turns in the state');
  globalThis.Date.now = globalThis.Date;

  // SplitMix32 by Guy Steele and others (2014), as a generator of 32-bit words.
  const generator = (seed) => {
    let at = seed | 0;
    const word = () => {
      at = (at + 0x9e3779b9) | 0;
      let z = at ^ (at >>> 16);
      z = imul(z, 0x21f0aaad);
      z ^= z >>> 15;
      z = imul(z, 0x735a2d97);
      return (z ^ (z >>> 15)) >>> 0;
    };
    const random = () => word() / 4294967296;
    random.int = (n) => floor(random() * n);
    random.pick = (list) => list[floor(random() * list.length)];
    random.shuffle = (list) => {
      const mixed = apply(slice, list, []);
      for (let i = mixed.length - 1; i > 0; i--) {
        const j = floor(random() * (i + 1));
        const other = mixed[j];
        mixed[j] = mixed[i];
        mixed[i] = other;
      }
      return mixed;
    };
    return random;
  };

  const refuse = (problem) => { throw new TypeFault(problem); };
  const isObject = (value) => typeof value === 'object' && value !== null;
  const shown = (value) => {
    const json = stringify(value);
    return json === undefined ? text(value) : json.length > 60 ? json.slice(0, 59) + '…' : json;
  };
  const textOf = (value, name) => typeof value.text === 'string' && value.text.trim() !== ''
    ? value.text : refuse(name + ' must return a non-empty text, but text is ' + shown(value.text));
  const stateOf = (value, name) => {
    const json = stringify(value.state);
    return json === undefined ? refuse(name + ' must return a state of plain data') : json;
  };
  const objectOf = (value, name) => isObject(value)
    ? value : refuse(name + ' must return an object { state, text, … }, but returned ' + shown(value));
  const listOf = (value, name) => {
    if (!isArray(value)) refuse(name + ' must return a list of texts, but returned ' + shown(value));
    const list = [];
    for (let i = 0; i < value.length; i++) {
      list[i] = typeof value[i] === 'string'
        ? value[i] : refuse(name + ' must return texts, but item ' + i + ' is ' + shown(value[i]));
    }
    return list;
  };
  const number = (value, otherwise, name) => value === undefined ? otherwise : finite(value)
    ? value : refuse(name + ' must be a number, but is ' + shown(value));

  const called = {
    about: (module) => ({
      ...{ name: module.name, about: module.about, tasks: module.tasks, turns: module.turns, words: module.words },
      functions: ownKeys(module).filter((key) => typeof key === 'string' && typeof module[key] === 'function'),
    }),
    reset: (module, task, seed) => {
      const value = objectOf(module.reset(task, generator(seed)), 'reset');
      const state = stateOf(value, 'reset');
      return { state, text: textOf(value, 'reset'), actions: listOf(module.actions(parse(state)), 'actions') };
    },
    step: (module, before, action, seed) => {
      const value = objectOf(module.step(parse(before), action, generator(seed)), 'step');
      const done = value.done === true;
      const reward = number(value.reward, 0, 'the reward');
      const state = stateOf(value, 'step');
      return {
        state, text: textOf(value, 'step'), reward, done,
        success: value.success === undefined ? done && reward > 0 : value.success === true,
        actions: done ? [] : listOf(module.actions(parse(state)), 'actions'),
      };
    },
    expert: (module, state) => {
      const value = module.expert(parse(state));
      const action = isObject(value) ? value.action : value;
      if (typeof action !== 'string') refuse('expert must return an action, but returned ' + shown(value));
      return { action, thought: isObject(value) && typeof value.thought === 'string' ? value.thought : null };
    },
    draw: (module, state) => listOf(module.draw(parse(state)), 'draw'),
  };

  return (module, name, given) => {
    loops = 0;
    return stringify(called[name](module, ...parse(given)));
  };
})()
`;
