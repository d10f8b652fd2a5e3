export { babyaiFamilies } from './environment.ts';
