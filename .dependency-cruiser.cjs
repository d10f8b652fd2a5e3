/**
 * The arrows of ARCHITECTURE.md: which folder may import which. A folder's entry lists everything
 * outside itself, as patterns of paths from the repository's root, that it may import.
 */
const MAY_IMPORT = {
  'src/files': [],
  'src/device': [],
  'src/kernels': ['src/device', 'src/algorithms', 'src/files/half[.]ts$', 'shaders'],
  'src/policy': ['src/kernels', 'src/device', 'src/algorithms', 'src/files'],
  'src/envs': [],
  'src/offline': [],
  'src/algorithms': [],
  'src/config': ['src/policy', 'src/envs', 'src/algorithms'],
  'src/agents': ['src/config', 'src/policy', 'src/envs', 'src/algorithms'],
  'src/runs': ['src/config', 'src/envs', 'src/algorithms', 'src/files'],
  'src/experiments': ['src/config', 'src/envs', 'src/algorithms', 'src/runs', 'src/files'],
  'src/diagnosis': [
    'src/algorithms',
    'src/config',
    'src/runs/(details|first-clip|levels|metrics|mode-names|numbers|row|rule-fit)[.]ts$',
    'src/envs',
  ],
  'src/autopsy': [
    'src/algorithms',
    'src/config',
    'src/diagnosis',
    'src/runs',
    'src/experiments/kept-autopsy[.]ts$',
  ],
  'src/training': [
    'src/agents',
    'src/config',
    'src/algorithms',
    'src/policy',
    'src/envs',
    'src/runs',
    'src/files',
  ],
  'src/exchange': [
    'src/files',
    'src/config',
    'src/diagnosis',
    'src/agents',
    'src/runs',
    'src/policy',
    'src/envs',
    'src/sweep',
    'src/experiments/run[.]ts$',
  ],
  'src/serve': ['src/envs', 'src/files'],
  'src/sweep': [
    'src/algorithms',
    'src/config',
    'src/runs',
    'src/experiments/(run|markdown-table)[.]ts$',
  ],
  'src/workers': ['src/config', 'src/envs', 'src/policy', 'src/runs', 'src/sweep', 'src/training'],
  'src/lab': [
    'src/kernels/open-device[.]ts$',
    'src/exchange/pretrained',
    'src/autopsy',
    'src/config',
    'src/agents',
    'src/training',
    'src/runs',
    'src/policy',
    'src/device',
    'src/envs',
  ],
  'src/cli': [
    'src/kernels/open-device[.]node[.]ts$',
    'src/files',
    'src/config',
    'src/exchange',
    'src/diagnosis',
    'src/autopsy',
    'src/training',
    'src/runs',
    'src/experiments',
    'src/policy',
    'src/device',
    'src/agents',
    'src/algorithms',
    'src/envs',
    'src/serve',
    'src/sweep',
    'src/workers',
    'bench',
    'scripts/wgsl[.]mjs$',
  ],
  'src/library': [
    'src/kernels/open-device([.]node)?[.]ts$',
    'src/config',
    'src/training',
    'src/runs',
    'src/policy',
    'src/device',
    'src/agents',
    'src/algorithms',
    'src/envs',
  ],
  'src/ui': [
    'src/experiments/kept-autopsy[.]ts$',
    'src/diagnosis',
    'src/autopsy',
    'src/files',
    'src/config',
    'src/runs',
    'src/exchange',
    'src/agents',
    'src/lab',
    'src/envs',
    'src/algorithms',
    'src/sweep/(file|importance|space|summary)[.]ts$',
  ],
};

/** The wings of src/ui that a wing may import; `app` composes them and may import all. */
const UI_WINGS = {
  shell: [],
  charts: ['shell'],
  stage: ['shell', 'charts'],
  why: ['shell', 'charts'],
  inside: ['shell', 'charts'],
  shelf: ['shell', 'charts'],
  learn: ['shell', 'charts'],
};

/** Tests and what only they use may import anything. */
const TESTS = '([.]test[.]tsx?$|/testing/)';
/** The parts of an environment that draw it. */
const VIEWS = '^src/envs/(views[.]ts|.*[.]tsx)$';
/** Packages that draw or belong to the page. */
const PAGE_PACKAGES =
  'node_modules/(@types/)?(react|react-dom|@mantine|@tabler|recharts|zustand)(/|$)';

const ownCode = '^(src|shaders|bench|e2e|scripts)/';

const arrows = Object.entries(MAY_IMPORT).map(([folder, allowed]) => ({
  name: `${folder.replace('src/', '')}-imports`,
  comment:
    allowed.length === 0
      ? `${folder} imports no other part of the project.`
      : `${folder} may import only ${allowed.join(', ')}.`,
  severity: 'error',
  from: { path: `^${folder}/`, pathNot: TESTS },
  to: {
    path: ownCode,
    pathNot: [
      `^${folder}/`,
      ...allowed.map((path) => (path.endsWith('$') ? `^${path}` : `^${path}/`)),
    ],
  },
}));

const wings = Object.entries(UI_WINGS).map(([wing, allowed]) => ({
  name: `ui-${wing}-imports`,
  comment: `Of the wings of src/ui, ${wing} may import ${allowed.join(' and ') || 'none'}.`,
  severity: 'error',
  from: { path: `^src/ui/${wing}/`, pathNot: TESTS },
  to: { path: '^src/ui/', pathNot: [wing, ...allowed].map((one) => `^src/ui/${one}/`) },
}));

module.exports = {
  forbidden: [
    ...arrows,
    ...wings,
    {
      name: 'ui-has-wings',
      comment: 'Every file of src/ui is in a wing, or in the layer that composes them.',
      severity: 'error',
      from: {
        path: '^src/ui/',
        pathNot: [`^src/ui/(app|${Object.keys(UI_WINGS).join('|')})/`, TESTS],
      },
      to: {},
    },
    {
      name: 'entry-imports',
      comment: 'The page’s entry starts the page; a new folder of src belongs in the table above.',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: [...Object.keys(MAY_IMPORT).map((folder) => `^${folder}/`), TESTS],
      },
      to: { path: ownCode, pathNot: '^src/ui/' },
    },
    {
      name: 'no-cycles',
      comment:
        'Two modules that import each other, types included, cannot be read or tested apart.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'resolvable',
      comment: 'Every import names a file or an installed package.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'tests-are-leaves',
      comment: 'No program code imports a test or what was made for tests.',
      severity: 'error',
      from: { pathNot: [TESTS, '^e2e/'] },
      to: { path: TESTS },
    },
    {
      name: 'views-for-the-page-only',
      comment: 'Only the page draws environments; the headless trainer loads no React.',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/ui/', TESTS, VIEWS] },
      to: { path: VIEWS },
    },
    {
      name: 'page-by-messages',
      comment: 'The page knows the training worker by its messages alone.',
      severity: 'error',
      from: { path: '^src/ui/', pathNot: TESTS },
      to: { path: '^src/lab/', pathNot: '^src/lab/(protocol|questions)[.]ts$' },
    },
    {
      name: 'page-packages',
      comment: 'React and its like belong to src/ui and to the environments’ views.',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/ui/', '^src/main[.]tsx$', VIEWS, TESTS] },
      to: { path: PAGE_PACKAGES },
    },
    {
      name: 'views-are-light',
      comment: 'A view draws with React and Mantine; charts and stores belong to src/ui.',
      severity: 'error',
      from: { path: VIEWS },
      to: { path: 'node_modules/(recharts|zustand)(/|$)' },
    },
    {
      name: 'browser-code-without-node',
      comment: 'Everything but the command line, and files named for Node, also runs in a browser.',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/cli/', 'node[.]ts$', TESTS] },
      to: { dependencyTypes: ['core'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'one-way-to-the-gpu',
      comment: 'Only src/device loads Dawn for Node.',
      severity: 'error',
      from: { path: '^(src|bench|e2e)/', pathNot: ['^src/device/', TESTS] },
      to: { path: 'node_modules/webgpu/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'browser-tests-see-the-page',
      comment:
        'Browser tests drive the built page; of the source they may use types and test helpers only.',
      severity: 'error',
      from: { path: '^e2e/' },
      to: { path: '^(src|shaders|bench)/', pathNot: TESTS, dependencyTypesNot: ['type-only'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    extraExtensionsToScan: ['.wgsl'],
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'types', 'browser', 'default'],
      extensions: ['.ts', '.tsx', '.mjs', '.js', '.json'],
    },
  },
};
