import { testConformance } from '../testing/conformance.ts';
import { wordleFamily } from './index.ts';

testConformance(wordleFamily, {
  reward: 'success',
  fingerprints: {
    '{}': '46442c0a',
    '{"spelling":"letters"}': '46442c0a',
    '{"list":"medium"}': '22fe572b',
    '{"list":"large"}': '2777ef4c',
    '{"openings":0}': 'e76ff63c',
    '{"openings":3}': 'fbf6e91a',
    '{"feedback":"original"}': '385aee04',
    '{"shown":"all"}': '55de4a3a',
    '{"list":"medium","openings":0,"spelling":"letters"}': '57171f25',
    '{"list":"large","openings":2,"spelling":"letters"}': '07194dfd',
    '{"list":"medium","feedback":"original","shown":"all"}': '824b057e',
    '{"words":"bbbbb gygby ggggg fudge judge nudge lodge badge Ridge, wedge"}': '0269a130',
  },
  optionSets: [
    { list: 'medium', openings: 0, spelling: 'letters' },
    { list: 'large', openings: 2, spelling: 'letters' },
    { list: 'medium', feedback: 'original', shown: 'all' },
    { words: 'bbbbb gygby ggggg fudge judge nudge lodge badge Ridge, wedge' },
  ],
  // A word is one lexeme, which the expert may need in evaluation without writing it in training. With
  // `spelling: letters`, training contains every lexeme.
  unwritten: {
    '{"list":"large"}': 76,
    '{"openings":0}': 5,
    '{"list":"medium","feedback":"original","shown":"all"}': 2,
  },
  documented: [{ openings: 0 }],
});
