import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';

/** Paths of the files that a page and its workers ask for from now on. */
export function noteFiles(page: Page): ReadonlySet<string> {
  const paths = new Set<string>();
  page.on('response', (response) => void paths.add(new URL(response.url()).pathname));
  return paths;
}

/** The scripts among them, from the build itself: a worker that has ended takes its answers along. */
export function scriptsAmong(paths: ReadonlySet<string>): readonly string[] {
  return [...paths]
    .filter((path) => path.endsWith('.js'))
    .map((path) => readFileSync(join('dist', path), 'utf8'));
}
