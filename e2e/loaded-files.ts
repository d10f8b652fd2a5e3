import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';

/** Records the files that the page and its workers request. */
export function noteFiles(page: Page): ReadonlySet<string> {
  const paths = new Set<string>();
  page.on('response', (response) => void paths.add(new URL(response.url()).pathname));
  return paths;
}

/** The requested scripts, read from the build because responses of ended workers are lost. */
export function scriptsAmong(paths: ReadonlySet<string>): readonly string[] {
  return [...paths]
    .filter((path) => path.endsWith('.js'))
    .map((path) => readFileSync(join('dist', path), 'utf8'));
}
