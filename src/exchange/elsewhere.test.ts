import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { unzipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { policySettings } from '../agents/shape.ts';
import { parseConfig } from '../config/check.ts';
import { openTokenizer } from '../policy/open-tokenizer.ts';
import { keptAgentOf } from './agent.ts';
import { exportAgent, readAgentFile, readAgentFiles, zipAgent } from './agent-files.ts';
import { referenceOutputs } from './testing/agents.ts';

/**
 * Checkpoints made by Hugging Face's own libraries, with their token ids for texts and next-token
 * probabilities for contexts (`testing/elsewhere.py`): two small ones, or a folder of larger ones,
 * which then also receives the exports.
 */
const asked = process.env.PALESTRA_ELSEWHERE;
const folder = asked ?? join(import.meta.dirname, 'testing/elsewhere');
const expectedFile = z.object({
  texts: z.array(z.object({ text: z.string(), ids: z.array(z.number()) })),
  contexts: z.array(z.object({ ids: z.array(z.number()), probabilities: z.array(z.number()) })),
});

const kinds = readdirSync(folder).filter((name) => name.endsWith('.zip'));

describe.each(kinds)('an imported Llama checkpoint with byte-pair tokens: %s', (name) => {
  const bytes = new Uint8Array(readFileSync(join(folder, name)));
  const said = new TextDecoder().decode(unzipSync(bytes)['expected.json']);
  const expected = expectedFile.parse(JSON.parse(said));
  const agent = readAgentFile(bytes);

  it('tokenizes every text as Hugging Face does', async () => {
    const tokenizer = await openTokenizer(agent.vocabulary, agent.bpe);
    for (const { text, ids } of expected.texts) expect(tokenizer.encode(text), text).toEqual(ids);
    expect(expected.texts.length).toBeGreaterThan(20);
  });

  it('gives every token the original model’s probability', () => {
    let worst = 0;
    expect(expected.contexts).not.toEqual([]);
    for (const { ids, probabilities } of expected.contexts) {
      const found = nextProbabilities(agent, ids);
      expect(found).toHaveLength(probabilities.length);
      for (const [i, p] of probabilities.entries()) {
        worst = Math.max(worst, Math.abs((found[i] ?? Number.NaN) - p));
      }
    }
    if (asked !== undefined) console.log(name, 'largest difference of a probability', worst);
    expect(worst).toBeLessThan(1e-5);
  });

  it('round-trips weights, tokens and tokenizer rules', () => {
    const config = parseConfig({
      policy: policySettings(agent.shape),
      agent: { max_action_tokens: 8 },
    });
    const trained = { ...agent, run: { config, iteration: 1, turns: 2, tokens: 3 }, added: null };
    const checkpoint = keptAgentOf(trained);
    const files = exportAgent(checkpoint, { report: null, license: 'MIT' });
    const card = new TextDecoder().decode(files.get('README.md'));
    expect(card).toContain('byte-pair tokens');
    expect(card).toContain('`<obs>observation<act>action<obs>observation<act>`');
    expect(card).toContain('tokenizer("<obs>" + observation + "<act>", return_tensors="pt")');
    const onnx = files.get('model_with_cache.onnx') ?? new Uint8Array();
    for (const again of [
      readAgentFiles(files),
      readAgentFile(zipAgent(files)),
      readAgentFile(onnx),
    ]) {
      expect(again).toEqual(trained);
      expect(exportAgent(keptAgentOf(again), { report: null, license: 'MIT' })).toEqual(files);
    }
    if (asked === undefined) return;
    const to = join(asked, name.replace('.zip', ''));
    mkdirSync(to, { recursive: true });
    for (const [file, content] of files) writeFileSync(join(to, file), content);
  });
});

it('uses the first of several end tokens in config.json', () => {
  const zip = unzipSync(
    new Uint8Array(readFileSync(join(import.meta.dirname, 'testing/elsewhere/llama-2.zip'))),
  );
  const { 'tokenizer_config.json': _, ...unnamed } = zip;
  const config = JSON.parse(new TextDecoder().decode(zip['config.json']));
  const endOf = (eos_token_id: unknown) => {
    const changed = new TextEncoder().encode(JSON.stringify({ ...config, eos_token_id }));
    const { bpe } = readAgentFiles(new Map(Object.entries({ ...unnamed, 'config.json': changed })));
    return bpe?.special.end;
  };
  const appended = endOf('none');
  expect([endOf(2), endOf([2, 7]), endOf(7)]).toEqual([2, 2, 7]);
  expect([endOf([]), endOf([-1]), endOf(undefined)]).toEqual([appended, appended, appended]);
});

/** Next-token probabilities after a context, from the policy's float64 reference. */
function nextProbabilities(
  agent: Parameters<typeof referenceOutputs>[0],
  ids: readonly number[],
): number[] {
  const last = referenceOutputs(agent, ids).logits.at(-1) ?? [];
  const highest = Math.max(...last);
  const exponents = last.map((x) => Math.exp(x - highest));
  const total = exponents.reduce((sum, x) => sum + x, 0);
  return exponents.map((x) => x / total);
}
