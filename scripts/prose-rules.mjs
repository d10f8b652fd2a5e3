/** Phrases that `npm run prose` rejects, and words that count as verbs in test names. */

/** @param {string} pattern of whole words @param {string} instead */
const phrase = (pattern, instead) => ({
  pattern: new RegExp(`(?<![\\p{L}\\p{N}_-])(?:${pattern})(?![\\p{L}\\p{N}_-])`, 'giu'),
  instead,
});

/** Rejected phrases with their replacements. */
export const bannedPhrases = [
  phrase('anew', 'again, from scratch'),
  phrase('whoever|whosoever', 'anyone who, the caller'),
  phrase('whatever', 'any, regardless of'),
  phrase('as (?:it|they) (?:was|were)(?! \\p{L}+(?:ed|en|wn))', 'unchanged'),
  phrase('as (?:it|they) stands?', 'unchanged'),
  phrase('(?:held|holds?|holding) against', 'compared with'),
  phrase('(?:comes?|came) to(?! mind)(?<!when it comes to)', 'equals, totals, is'),
  phrase('(?:came|come|comes|becomes?|became) of', 'results from'),
  phrase('tells? of|told of|telling of', 'describes, reports'),
  phrase('(?:the|a|each|every|one) told', 'prompt, instruction'),
  phrase('in the midst(?: of)?|amidst?', 'during, in the middle of'),
  phrase('by itself|by themselves', 'automatically, on its own'),
  phrase("of (?:its|their|one’s|one's) own", 'its own X, separate'),
  phrase('gone through', 'checked, traversed, processed'),
  phrase('la(?:id|y|ys|ying) over', 'overlaid'),
  phrase('hears?|heard|hearing', 'receives, reads'),
  phrase('for want of', 'without, because there is no'),
  phrase(
    '(?:is|are|was|were) of (?!type|length|size|shape|order|equal|rank|interest)',
    'belongs to, comes from, has',
  ),
  phrase('(?<!real |real-|hello )worlds?', 'environment, layout'),
  phrase('goes on|went on|gone on|go on|going on(?! in)', 'continues, resumes'),
  phrase('(?:every|after|each|of) so many', 'every N'),
  phrase('mend(?:s|ed|ing)?', 'fix'),
  phrase(
    'lest|whence|thence|henceforth|hitherto|wherein|whereof|thereof|therein|therewith|nought|naught',
    'plain words',
  ),
  phrase('upon', 'on'),
  phrase('till', 'until'),
  phrase('for ever', 'forever, without limit'),
  phrase('once more', 'again'),
  phrase('in vain', 'without success'),
  phrase('tak(?:e|es|en|ing) note of|took note of', 'records'),
  phrase('broken off|break(?:s|ing)? off|broke off', 'cancelled, aborted'),
  phrase('has no way on|no way on', 'is a dead end'),
  phrase('and the like', 'and similar'),
  phrase('many a|a good many|not a few', 'many, several'),
  phrase('in one go', 'at once, in one pass'),
  phrase('so to (?:speak|say)|as it were', '(delete)'),
  phrase('as far as (?:it|they|he) (?:is|are|goes|go)', 'where, if'),
  phrase('what (?:it|they|he|she) (?:is|are|was|were) (?:about|for)', 'its subject, its purpose'),
  phrase('bears? no|has no say|have no say', 'does not affect'),
  phrase('stands? (?:there|in it|beside|at its|where)', 'is'),
  phrase('what stands', 'the text, the content'),
  phrase('where (?:it|there) (?:is|are) none', 'if there is none'),
  phrase('is no (?:more than|part of|longer one)', 'is not'),
  phrase('nothing (?:of|but)', 'only, none of'),
];

/** Verbs without the third-person s: a test name may contain one after a plural, but not start with one. */
export const bareVerbs = new Set(
  'are have leave keep come go tell say hold stand name count show make end draw take give read write find learn play move become let know ask put mark follow cut stay change begin do report add agree allow answer appear apply arrive carry cause clip close compare compute contain copy cover cross differ draw drop equal fail fall fill fit form gain get grow hide ignore include join last lead lie list live load look lose match mean meet merge miss need open overlap pass pay pick point print produce raise reach refuse reject remain remove repeat replace return round run save see send set share shrink sit sort split start stop sum survive tie turn use vary wait walk want work'.split(
    ' ',
  ),
);

/** Words that end in s and are not verbs. */
export const notVerbs = new Set(
  'as this its his hers ours theirs always perhaps less various plus vs across towards besides whereas thus yes'.split(
    ' ',
  ),
);

/** Test names that start like this are not statements. */
export const weakStarts = [
  /^(?:are|as|how|what|where|of|by|for|to|and|but|that|whose|which|who|whoever|has no way)\b/i,
  /^is (?:what|as|that|of|how|where|who|but|for|from|in|at|by|with)\b/i,
  /^(?:goes on|comes|tells of)\b/i,
];

/**
 * Files whose strings are read by agents or quote other projects: changing them would change an
 * environment. Their comments and test names are checked.
 */
export const quotedTexts =
  /^src\/envs\/.*\/(?:text|texts|families|actions|verbs|words|expert|templates|kit|world|environment)\.ts$|^src\/agents\/modes\/worlds\.ts$/;
