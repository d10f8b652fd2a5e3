/** Trains a small language model from scratch and writes it to a folder that `train --model` opens. */
import { FIXED_TOKENS, newModelNames } from '../exchange/pretrained/new-model.ts';
import { deviceFlags, deviceRequest } from './device-options.ts';
import { Outputs } from './files.ts';
import { Command, forceFlag, optional, required, whole, withDefault } from './flags.ts';
import { deviceLine, type OpenMachine } from './machine.node.ts';
import { HEAD_WIDTH, MOST_SLIPS, pretrainingSources, pretrainModel } from './pretraining.ts';
import { progressLog } from './progress.ts';
import type { Streams } from './streams.ts';
import { exitCode } from './usage.ts';

export interface PretrainMachine extends Streams {
  readonly open: OpenMachine;
}

const pretrainer = new Command({
  name: 'pretrain-model',
  about:
    'Trains a small Llama model with a byte-pair tokenizer on dialogues of the environments’ experts.',
  flags: {
    out: required('DIR', 'folder of the model, which train --model opens'),
    seed: withDefault(
      1,
      optional('N', 'random seed; the same seed gives the same files', whole(0, 0xffffffff)),
    ),
    dialogues: withDefault(
      1600,
      optional('N', 'number of dialogues over all environments', whole(8, 100_000)),
    ),
    epochs: withDefault(12, optional('N', 'passes over the dialogues', whole(1, 1000))),
    vocabulary: withDefault(
      800,
      optional('N', 'maximum vocabulary size in tokens', whole(FIXED_TOKENS + 1, 16_384)),
    ),
    layers: withDefault(2, optional('N', 'layers', whole(1, 48))),
    heads: withDefault(
      6,
      optional('N', `attention heads, each with ${HEAD_WIDTH} dimensions`, whole(2, 64)),
    ),
    ...deviceFlags,
    force: forceFlag,
  },
  notes: () =>
    `Files: ${newModelNames.join(', ')}. The text is dialogues on training tasks of ${pretrainingSources.map(({ id }) => id).join(', ')}. An expert acts, except in a random share of the turns of each dialogue, from 0 to ${MOST_SLIPS} in 4, where the action is random.`,
});

/** Trains as the arguments specify. Resolves with the exit code. */
export function pretrainModelCommand(
  args: readonly string[],
  machine: PretrainMachine,
): Promise<number> {
  return exitCode(machine, [], async () => {
    const parsed = pretrainer.parse(args);
    if (parsed === null) machine.out(pretrainer.help());
    else await pretrain(parsed.values, machine);
    return 0;
  });
}

type Values = NonNullable<ReturnType<typeof pretrainer.parse>>['values'];

async function pretrain(values: Values, { out, log, open }: PretrainMachine): Promise<void> {
  const request = deviceRequest(values);
  const folder = new Outputs(values).folder('--out', values.out, (name) =>
    newModelNames.includes(name),
  );
  const machine = await open(request);
  try {
    log(deviceLine(machine));
    const { createPolicy } = machine;
    const progress = progressLog(log);
    const onProgress = (fraction: number) => progress('learn', fraction);
    const made = await pretrainModel(values, { createPolicy, log, onProgress });
    for (const [name, bytes] of made.files) folder.write(name, bytes);
    out(
      `wrote a model of ${made.parameterCount} parameters to ${values.out}; ${made.loss.toFixed(3)} nats per token in the last epoch`,
    );
  } finally {
    machine.close();
  }
}
