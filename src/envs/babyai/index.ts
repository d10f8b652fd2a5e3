export { babyaiFamilies, babyaiFamilies as families } from './environment.ts';
