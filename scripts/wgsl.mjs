/**
 * `.wgsl` files as modules: the text, and the signature of each entry point. Bindings and
 * parameters are parsed at build time, so that the page needs no parser.
 */
import { WgslReflect } from 'wgsl_reflect/wgsl_reflect.module.js';

/**
 * Expands a shader's template directives to one iteration of each `#each`, numbered 0, and the first branch
 * of each `#if`. The tensors of an entry point are the same in every expansion.
 *
 * @param {string} text
 */
function plain(text) {
  /** @type {boolean[]} whether the text of each open block is kept */
  const open = [];
  const lines = text.split('\n').flatMap((line) => {
    const [, word] = /^\s*#(each|if|else|end)\b/.exec(line) ?? [];
    if (word === undefined) return open.includes(false) ? [] : [line.replace(/\{\w+\}/g, '0')];
    if (word === 'end') open.pop();
    else if (word === 'else') open[open.length - 1] = false;
    else open.push(true);
    return [];
  });
  return lines.join('\n');
}

/** @type {ReadonlySet<string>} */
const KINDS = new Set(['u32', 'i32', 'f32']);

/**
 * The signatures of a shader's entry points, by their names.
 *
 * @param {string} text
 * @returns {Record<string, import('../src/device/device.ts').Signature>}
 */
export function signaturesOf(text) {
  const signatures = new WgslReflect(plain(text)).entry.compute.map(({ name, resources }) => {
    const uniform = resources.find((resource) => resource.name === 'params');
    const bindings = resources
      .filter((resource) => resource !== uniform)
      .sort((a, b) => a.binding - b.binding)
      .map(({ name: tensor, binding, access }) => ({
        name: tensor,
        binding,
        written: access !== 'read',
      }));
    if (uniform === undefined) return [name, { bindings, params: null }];
    const fields = (uniform.members ?? []).map(({ name: field, offset, type }) => {
      if (!KINDS.has(type.name)) {
        throw new Error(`${name}: params.${field} must be u32, i32 or f32, not ${type.name}`);
      }
      return { name: field, offset, kind: type.name };
    });
    const params = { binding: uniform.binding, bytes: uniform.size, fields };
    return [name, { bindings, params }];
  });
  return Object.fromEntries(signatures);
}

/**
 * A shader with its entry points.
 *
 * @param {string} text
 * @returns {import('../src/device/device.ts').Shader}
 */
export function shaderOf(text) {
  return { text, signatures: signaturesOf(text) };
}

/**
 * The text without comments and indentation, which are two fifths of it. Line numbers, which GPU
 * messages contain, are kept. WGSL has no strings that could contain `//`.
 *
 * @param {string} text
 */
export function stripped(text) {
  return text
    .split('\n')
    .map((line) => line.replace(/\/\/.*$/, '').trim())
    .join('\n');
}

/** @param {string} text */
const moduleOf = (text) => `export default ${JSON.stringify(shaderOf(stripped(text)))};`;

/** For Vite. @returns {import('vite').Plugin} */
export function wgslForVite() {
  return {
    name: 'wgsl',
    transform(code, id) {
      return id.endsWith('.wgsl') ? { code: moduleOf(code), map: null } : null;
    },
  };
}

/** For esbuild. @returns {import('esbuild').Plugin} */
export function wgslForEsbuild() {
  return {
    name: 'wgsl',
    setup({ onLoad }) {
      onLoad({ filter: /\.wgsl$/ }, async ({ path }) => {
        const { readFile } = await import('node:fs/promises');
        return { contents: moduleOf(await readFile(path, 'utf8')), loader: 'js' };
      });
    },
  };
}
