import { type KeptBase, parseBase } from '../../../runs/checkpoint.ts';

/** The pretrained model in an address, as `modelParameter` writes it; null if it is invalid. */
export function readModel(value: string): KeptBase | null {
  const [digest, rank, alpha, base, targets = '', ...name] = value.split('~');
  const adapter = { rank: Number(rank), alpha: Number(alpha), targets: targets.split('.'), base };
  return parseBase({ name: name.join('~'), digest, adapter });
}
