/** Tokens per second of parallel episodes, for Palestra and its peers. */
import { interleaved, type Rounds, type Spread, spreadOf } from '../measure.ts';
import { DECODED, type Decoder } from './own-decode.ts';

export interface DecodeRow {
  readonly name: string;
  readonly episodes: number;
  /** Milliseconds in which each episode generates `DECODED` tokens. */
  readonly time: Spread;
  readonly tokensPerSecond: number;
}

/** Thrown if a peer's tokens differ from Palestra's, because its time would be meaningless. */
export class TokensDisagreeError extends Error {
  override readonly name = 'TokensDisagreeError';
  constructor(name: string, episodes: number, share: number) {
    super(
      `Decoding with ${episodes} episodes: ${(100 * share).toFixed(1)}% of the tokens of ${name} match Palestra’s. Nearly all must match before anything is timed.`,
    );
  }
}

/** Runtimes may choose different tokens if their probabilities are equal at float32's precision. */
const LEAST_AGREEMENT = 0.98;

/** Times the decoders in turn, once their greedy tokens agree. @throws {TokensDisagreeError} */
export async function measureDecode(
  episodes: number,
  decoders: ReadonlyMap<string, Decoder>,
  rounds: Rounds,
): Promise<DecodeRow[]> {
  let own: Uint32Array | undefined;
  for (const [name, { run }] of decoders) {
    const written = await run();
    own ??= written;
    const same = written.filter((token, i) => token === own?.[i]).length / (episodes * DECODED);
    if (!(same >= LEAST_AGREEMENT)) throw new TokensDisagreeError(name, episodes, same);
  }
  const subjects = new Map(
    [...decoders].map(([name, { run }]) => [
      name,
      async () => {
        await run();
      },
    ]),
  );
  const samples = await interleaved(subjects, rounds, { warm: true, apart: true });
  return [...decoders.keys()].map((name) => {
    const time = spreadOf(samples.get(name) ?? []);
    return { name, episodes, time, tokensPerSecond: (1000 * episodes * DECODED) / time.median };
  });
}
