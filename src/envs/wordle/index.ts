export { wordleFamily } from './environment.ts';
