#!/usr/bin/env node
/** `palestra COMMAND …`: the command-line programs in the installed package. */
import { EXIT_USAGE } from './usage.ts';

/** Importing a command's module runs the command with this process's arguments. */
const commands: Readonly<Record<string, { does: string; run: () => Promise<unknown> }>> = {
  train: { does: 'trains an agent', run: () => import('./train.ts') },
  'pretrain-model': {
    does: 'trains a small language model on experts’ dialogues',
    run: () => import('./pretrain-model.ts'),
  },
  evaluate: {
    does: 'plays the evaluation tasks with an agent',
    run: () => import('./evaluate.ts'),
  },
  export: {
    does: 'exports an agent as ONNX and as a Llama model',
    run: () => import('./export.ts'),
  },
  diagnose: {
    does: 'finds the first cause of a failing run',
    run: () => import('./diagnose.ts'),
  },
  episodes: {
    does: 'reads episodes written by other tools and lists signs of failure',
    run: () => import('./episodes.ts'),
  },
  mcp: {
    does: "answers coding agents' questions about logs, over MCP",
    run: () => import('./mcp.ts'),
  },
  sweep: { does: 'runs a sweep over settings and seeds', run: () => import('./sweep.ts') },
  work: {
    does: 'computes runs of a sweep that another machine coordinates',
    run: () => import('./work.ts'),
  },
  'critique-data': {
    does: 'creates a data set of critiques',
    run: () => import('./critique-data.ts'),
  },
  suite: {
    does: 'writes the evaluation suite and experts’ dialogues',
    run: () => import('./suite.ts'),
  },
  serve: { does: 'serves the environments to Python clients', run: () => import('./serve.ts') },
};

const help = `palestra COMMAND [options]; palestra COMMAND --help explains each

${Object.entries(commands)
  .map(([name, { does }]) => `  ${name.padEnd(15)}${does}`)
  .join('\n')}
`;

const [node = '', program = '', name = '--help', ...args] = process.argv;
const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
if (command !== undefined) {
  process.argv = [node, program, ...args];
  // Users of the package may have no GPU; auto then uses the processor.
  process.env.PALESTRA_DEVICE ??= 'auto';
  await command.run();
} else if (name === '--help' || name === '-h') {
  process.stdout.write(help);
} else {
  process.stderr.write(`there is no command ${JSON.stringify(name)}\n\n${help}`);
  process.exitCode = EXIT_USAGE;
}
