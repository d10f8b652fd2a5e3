export { textCraft } from './environment.ts';
