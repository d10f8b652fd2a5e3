/** The word lists. Each longer list starts with the shorter ones. */

import type { WordList } from './own-words.ts';

const read = (text: string): string[] => text.trim().split(/\s+/);

const SMALL = read(`
  apple beach bread chair cloud dance earth flame grape green heart horse house knife lemon light
  money mouse music night ocean paper piano plant queen river salad stone table tiger water wheel
`);

const MEDIUM = read(`
  about actor admit after agree alarm angle arrow bacon beard begin berry black blade blank blind
  block board brain brave brick bring brown brush build cabin camel candy carry chain chalk chase
  check chess chest child clean clear climb clock close coast comet count cover crane crash cream
  cross crowd crown curve daisy death dirty doubt dozen dream dress drink drive eagle early eight
  empty enemy enjoy enter equal event exact faith false fancy favor feast fence field fifty fight
  final first flash fleet floor flour fluid focus force forty found frame fresh front frost fruit
  funny ghost giant glass globe glove grace grain grand grass great group guard guess guest guide
  happy heavy honey hotel human humor ideal image index inner jelly jewel joint judge kneel knock
  label large laugh layer learn lemur level lucky lunch magic maple march match maybe medal merry
  metal mixed model month moral motor mount mouth movie nerve never noble noise north novel nurse
  offer olive onion opera orbit order other owner panda panic party pasta peach pearl phone photo
  pilot pizza place plain plane plate point pound power press price pride prize proud punch pupil
  quick quiet quite radio raise ranch range rapid ready reply right robot rough round route royal
  rural scale scarf scene score seven shade shape share sharp sheep shelf shell shine shirt shore
  short shout sight skill skirt sleep slice small smart smile smoke snake solid sound south space
  spade spear speed spend spice spoon sport staff stage stair stamp start steam steel storm story
  straw sugar sunny sweet sword taste teach thank thick think three throw thumb title toast today
  tooth torch total touch tower trace track trade train treat tribe trick truck trust truth twice
  uncle under union until upper urban usual valid value video visit vivid voice wagon waste watch
  whale wheat white whole woman world worry wrist write wrong yacht young youth zebra
`);

const LARGE = read(`
  abbey abide abode abort above abuse acorn acute adapt adobe adopt adore adult again agent agile
  aging agony ahead aisle alert algae alibi alien align alike alive alley allow alloy aloft alone
  along aloof alpha altar alter amaze amber amend ample amuse angel anger angry ankle annex annoy
  anvil apart apply apron arena argue arise armor aroma array arson ashen aside asset atlas atoll
  atone attic audio audit aunty avert avoid awake award aware awful axiom badge badly bagel baker
  balmy banjo barge baron basic basil basin basis batch bathe baton bayou beady beast beech beefy
  began begun being belly below bench beret bingo birch birth bison blame bland blare blast blaze
  bleak bleed bleep blend bless blimp bliss bloat blond blood bloom blown bluff blunt blush boast
  bonus boost booth borne bosom bound bowel boxer brace braid brake brand brash brass brawl break
  breed briar bribe bride brief brine brink brisk broad broil broke brood brook broom broth brunt
  brute buddy budge buggy bugle built bulge bulky bully bunch bunny burly burnt burst cable cacao
  cache cadet canal canny canoe caper carat cargo carol carve caste catch cater cause cease cedar
  chaff champ chant chaos charm chart chasm cheap cheat cheek cheer chick chief chili chill chime
  china chirp choir choke chord chore chose chuck chunk churn cider cigar cinch circa civic civil
  claim clamp clang clash clasp class cleft clerk click cliff cling cloak clone cloth clove clown
  coach cobra cocoa color comic comma conch coral could court covet crack craft cramp crank crass
  crate crave crawl craze crazy creak creed creek creep crept crest crime crimp crisp croak crock
  crook crude cruel crumb crush crust crypt cubic curly curry curse cycle cynic daily dairy dandy
  datum debit debut decay decor decoy decry deity delay delta delve dense depot depth derby deter
  diary digit dimly diner dingo disco ditch ditto diver dizzy dodge doing dolly donor donut dough
  draft drain drake drama drank drape drawl drawn dread dried drier drift drill drone drool droop
  drove drown druid dryer dusky dusty dwarf dwell dying eager easel eaten ebony edict eerie elate
  elbow elder elect elegy elite elope elude ember enact endow ensue entry envoy epoch equip erase
  erect error erupt essay ether ethic evade every evict evoke exalt excel exert exile exist extra
  fable facet faint fairy fatal fault fauna felon femur ferry fetch fever fiber fiery fifth filth
  finch flair flake flaky flank flare flask flesh flick flier fling flint flirt float flock flood
  flora floss flown fluff fluke flung flush flute foamy focal foggy foray forge forgo forte forth
  forum foyer frail frank fraud freak freed friar fried frill frisk frock frond froth frown froze
  fudge fully fungi furry fuzzy gamma gauge gaunt gauze gavel gecko genie genre giddy given giver
  gland glare glaze gleam glean glide glint gloat gloom glory gloss gnome going goose gorge gouge
  gourd grade graft grant graph grasp grate grave gravy graze greed greet grief grill grime grimy
  grind gripe groan groom grope gross grove growl grown gruel gruff grunt guava guild guilt guise
  gulch gummy gusto habit hairy handy hardy harsh haste hasty hatch haunt haven havoc hazel heard
  heath heave hedge hefty heist hello hence heron hilly hinge hippo hitch hoard hobby hoist holly
  honor horde hound hover howdy humid hurry husky hutch hydro hyena icily icing idiom idler igloo
  imply inbox incur inept inert infer inlet input irate irony issue itchy ivory jaunt jazzy jerky
  jolly joust juicy jumbo jumpy karma kayak kebab khaki kiosk kitty knack knave knead knelt known
  koala labor lance lanky lapel lapse larva laser lasso latch later lathe latte leafy leaky leapt
  lease leash least leave ledge leech legal lever lilac limbo limit linen liner lingo liver llama
  loamy loath lobby local lodge lofty logic loose lorry loser lotus lousy lover lower loyal lucid
  lumpy lunar lunge lurch lying lyric macaw macho macro madam major maker mango mangy mania manly
  manor marry marsh mason mauve maxim mayor mealy meant meaty medic melee melon mercy merge merit
  messy meter metro micro midst might mimic mince miner minor minty minus mirth miser misty moist
  molar moldy moose mossy motel motif motto mound mourn mower mucus muddy mulch mummy mural murky
  mushy musty naive nanny nasal nasty naval navel needy neigh nerdy newly nicer niche niece ninja
  ninth nomad noose notch nudge nylon oaken oasis occur octet oddly often olden omega optic orate
  organ otter ought ounce outer ovary overt oxide ozone pagan paint panel papal parch parka parry
  paste pasty patch patio pause payee peace pecan pedal penny perch peril perky pesky petal petty
  phase piece piety piggy pinch pique pitch pithy pivot pixel pixie plaid plait plank plaza plead
  pleat pluck plumb plume plump plush poach poise poker polar polka poppy porch posse pouch pouty
  prank prawn preen prime print prior prism privy probe prone prong proof prose prove prowl prune
  psalm pudgy puffy pulse puppy puree purge purse pushy putty quack quail quake qualm quart quash
  quasi quell query quest queue quill quilt quirk quota quote rabbi racer radar rally ramen raven
  rayon razor reach react realm rebel recap recur reedy refer reign relax relay relic remit renew
  repay repel reset resin retro reuse revel rhino rhyme rider ridge rifle rigid rigor rinse ripen
  risen risky rival roast rocky rodeo rogue roomy roost rouge rouse rowdy rower ruddy rugby ruler
  rumor rusty saint salon salsa salty salve salvo sandy satin sauce sauna savor savvy scald scalp
  scaly scant scare scary scent scold scone scoop scope scorn scour scout scowl scram scrap scrub
  sedan seize sense serum serve setup sever shack shady shake shaky shall shame shank shark shave
  shawl shear sheen sheer sheet shift shiny shire shock shook shoot shred shrew shrub shrug siege
  sieve silky silly since siren skate skier skiff skimp skull skunk slack slain slang slant slash
  slate sleek sleet slept slide slime slimy sling slope sloth slump slush smack smash smear smell
  smirk smith smock snack snail snare snarl sneak sneer sniff snore snort snout snowy snuff soapy
  sober soggy solar solve sonar sonic sooty sorry spare spark spawn speak spell spelt spent spied
  spiel spike spill spine spite split spoil spoke spook spool spore spout spray spree sprig spurt
  squad squat squid stack stain stake stale stalk stall stand stare stark stash state stead steak
  steal steed steep steer stern stick stiff still stilt sting stink stock stoic stomp stony stood
  stool stoop store stork stout stove strap stray strip strut stuck study stuff stump stung stunt
  style suave suite sulky super surge surly sushi swamp swarm sweat sweep swell swept swift swine
  swing swirl swoop syrup tabby taboo tacit tacky taffy taken tango tangy tapir tardy taunt tawny
  teary tease teeth tempo tenor tense tenth tepid theft theme there these thief thigh thing third
  thorn those tidal tight timer timid tipsy titan token tonic topaz topic torso totem tough towel
  toxic trail trait tramp trash trawl tread trend triad trial trope trout trove truce truly trump
  trunk tulip tummy tumor tuner tunic turbo tutor twang tweed tweet twine twirl twist udder ulcer
  ultra unify unite unity unlit untie usher utter vague valet valor valve vapor vault vegan venom
  venue verge verse vicar vigil vigor villa vinyl viola viper viral virus visor vital vixen vocal
  vodka vogue vouch vowel wacky waist waive waltz wares weary weave wedge weigh weird whack wharf
  where which whiff while whine whirl whisk widen widow width wield winch windy witty woken women
  woody worse worst worth would wound woven wrack wrath wreak wreck wring yearn yeast yield yodel
  yummy zesty zonal
`);

/** The words of each list: five letters from a to z, no duplicates. */
export const wordLists: Readonly<Record<WordList, readonly string[]>> = {
  small: SMALL,
  medium: [...SMALL, ...MEDIUM],
  large: [...SMALL, ...MEDIUM, ...LARGE],
};
