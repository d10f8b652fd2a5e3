export { families } from './families.ts';
