import type { Rolldown } from 'vite'

/** Matches modules of the portal itself by their path below `src`, without ending. */
const own = (...paths: string[]): RegExp =>
  new RegExp(`/apps/web/src/(?:${paths.join('|')})(?:\\.module)?\\.[a-z]+$`)
const contract = (...files: string[]): RegExp =>
  new RegExp(`/packages/contract/src/(?:${files.join('|')})\\.ts$`)
const mantine = (...components: string[]): RegExp =>
  new RegExp(`/@mantine/core/esm/components/(?:${components.join('|')})/`)
const hooks = (...names: string[]): RegExp => new RegExp(`/@mantine/hooks/esm/(?:${names.join('|')})/`)

/** All that the first script needs of the contract: its schemas come with the first call. */
const OF_ENTRY = [contract('sign-in-facts', 'phrases', 'problems'), /rolldown\/runtime/]

/** What most pages draw, those before the sign-in among them. */
const BASE = [
  own('components/frame/(?:brand|colour-mode-switch|language-switch|skip-link)', 'api/remembered-account'),
  mantine('ActionIcon', 'Badge', 'CloseButton', 'Code', 'Input', 'InputBase', 'Paper', 'SimpleGrid'),
  mantine('TextInput'),
  /\/@mantine\/core\/esm\/core\/utils\/get-(?:base-value|breakpoint-value|sorted-breakpoints)\//,
  hooks('use-color-scheme', 'use-debounced-value', 'use-id'),
  /\/@mantine\/core\/esm\/core\/(?:MantineProvider\/use-mantine-color-scheme|styles-api|utils\/noop)\//,
]

/** What a call needs. */
const CALLS = [
  /\/zod\//,
  /\/packages\/client\//,
  contract('faults', 'payload-types', 'scalars', 'endpoint', 'paging', 'sessions', 'access', 'account'),
  own('api/(?:early-answers|refresh-tokens|own-account-calls|client-parameter|open-external)'),
]

/** What the pages behind the sign-in share: shell, rights, calls. */
const INSIDE = [
  // Texts of alerts, failures, the log and permissions come with the pages that tell them, the calls of the fleet and of the provider with
  // their screens, and the whole table of calls with the log.
  contract(
    '(?!alert-texts|calling-codes|carriers|clients|comments|device|failures|index|log-sentences|permission-words|staff|statistics)[\\w-]+',
  ),
  /\/@tanstack\/(?:react-query|query-core)\/build\/modern\/(?!(?:infiniteQueryO|useInfinite))/,
  own('shell/navigation', 'components/alerts/[\\w-]+', 'components/words/alert-words'),
  own(
    'api/(?!comments-api|fleet-api|home-api|internal-api|monitoring|sign-in|support-mode|use-account|use-demo)[\\w-]+',
  ),
  own(
    'shell/(?:command-field|inside|guards|ask-ahead|dashboard-layout|area|shell|top-bar|alert-bell|side-navigation|shell-pending|user-button|user-menu|client-button|client-switch|use-session-notice|notice-delay)',
  ),
  own(
    'ui/(?:keep-keys|painted|empty-state|error-state|page-header|page-tabs|use-now|use-single-keys|visible)',
  ),
  mantine('Alert', 'Card', 'Center', 'Kbd', 'Progress', 'ThemeIcon'),
  hooks('use-disclosure', 'use-hotkeys', 'use-local-storage', 'use-window-event'),
  /\/@mantine\/core\/esm\/core\//,
]

/** What rights are called. */
const RIGHTS = [
  contract('permission-words'),
  own('components/words/(?:action-[\\w-]+|patterns-in-words|wildcards)'),
]

/** The small things with which records are drawn, in lists and on pages of their own. */
const RECORDS = [
  // The log names every call that there is.
  contract(
    'calling-codes',
    'carriers',
    'clients',
    'comments',
    'device-[\\w-]+',
    'devices',
    'failures',
    'staff',
    'statistics',
  ),
  /\/@tanstack\/(?:react-query|query-core)\//,
  /\/packages\/domain\/src\/can\/payload/,
  own(
    'ui/(?:hint|loaded|middle-ellipsis|reference|time|time-format)',
    'components/words/(?!device|role)[\\w-]+',
  ),
  own(
    'components/(?:cells|choices|facts|person-name|saved-columns|service-words|state-badge)',
    'components/devices/(?:device-at|links)',
    'components/player/wished',
  ),
  own(
    'components/lists/(?:call-search|columns|csv|date-range|define-list|list-memory|list-records|list-search|page-rows|rows-query|total-text)',
  ),
  own(
    'components/payloads/(?:doubts|listed-at|party-text|payload-cells|payload-choices|payload-columns|payload-list|payload-totals|queries|review-queue|services|suggestions)',
  ),
  mantine('Anchor', 'Combobox/ComboboxChevron', 'Combobox/get-parsed-combobox-data'),
  /\/Combobox\.module\.|\/Checkbox\/CheckIcon\./,
  hooks(
    'use-clipboard',
    'use-force-update',
    'use-media-query',
    'use-network',
    'use-resize-observer',
    'use-uncontrolled',
  ),
]

/** What alerts say, and their list. */
const ALERTS = [
  contract('alert-texts'),
  own('screens/alerts/(?:alerts|alert-(?:cells|columns|filters|key|search|texts))'),
  /\/routes\/dashboard\/account\/alerts\.tsx\?tsr-split/,
]

/** The page of one payload, with its player. */
const DETAILS = [
  own('screens/calls/call-detail'),
  /\/routes\/dashboard\/services\/calls\/\$payload_reference\.tsx\?tsr-split/,
  own(
    'components/payloads/(?!metadata-view|payload-preview|payload-tile|payloads-of|thumbnails|queue-more|related)[\\w-]+',
    'ui/use-space-bar',
  ),
  own('components/payload-type', 'components/player/(?!draw-sound|waveform|wave-height)[\\w-]+'),
  mantine('Chip', 'NativeSelect', 'Tabs', 'Timeline'),
]

/** The list engine, and the list of calls, which is opened most. */
const LISTS = [
  own('screens/calls/calls-list'),
  own(
    'components/lists/(?:column-settings|csv-file|grid-keys|list-(?:sort|footer|grid|header|page|row|states|view)|search-look|selection|use-hidden-columns|use-pressed-row|use-list-columns|use-list-rows|use-selection)',
  ),
  /\/@tanstack\/(?:react-virtual|virtual-core)\//,
]

/** What draws a recording and the comments over it: one file, for it is read with every page of one. The panel comes when its tab is opened. */
const WAVE = [
  own('components/player/waveform'),
  /\/wavesurfer\.js\//,
  own('api/comments-api', 'components/comments/(?:comment-lane|comments|part-text|queries)'),
]

/** What opens beside a button, and what stands above a list. */
const MENUS = [
  own(
    'components/lists/(?:bulk-bar|column-chooser|date-words|filter-[\\w-]+|list-controls|look-switch|save-view-button|saved-views|search-suggestions|use-next-chip|view-tabs)',
  ),
  /\/@floating-ui\//,
  mantine('Menu', 'Combobox', 'Popover', 'Tooltip', 'SegmentedControl', 'FloatingIndicator', 'Checkbox'),
  mantine('FocusTrap', 'Switch', 'Portal', 'Overlay', 'ScrollArea', 'Transition'),
  /\/@mantine\/core\/esm\/utils\/|\/RadioIcon\.|\/AccordionChevron\./,
  hooks('[\\w-]+'),
  own('ui/find-text'),
]

/** What is laid over a page: drawers and dialogs, with their fields. */
const FORMS = [
  own('ui/(?:confirm|delete-button|dialog|may-button|sample-list)', 'ui/form/[\\w-]+'),
  own(
    'components/(?:access-select|networks-input|reason-dialog|record-preview)',
    'components/review/[\\w-]+',
  ),
  mantine('Drawer', 'List', 'Modal', 'ModalBase', 'MultiSelect', 'Pill', 'PillsInput', 'Radio', 'Select'),
  mantine('Table', 'TagsInput', 'Textarea', 'NativeScrollArea'),
  /\/@tanstack\/react-router\/dist\/esm\/useBlocker/,
  /\/(?:react-remove-scroll|react-remove-scroll-bar|use-sidecar|use-callback-ref|react-style-singleton|tslib)\//,
]

/** A role, new or known. */
const ROLE = [
  own('screens/roles/(?!account-defaults|defaults-query|keys-required|roles-list|role-cells)[\\w-]+'),
  /\/routes\/dashboard\/access\/roles\/(?:\$role_reference|create)\.tsx\?tsr-split/,
]

const holds = (patterns: readonly RegExp[]) => (id: string) => patterns.some((pattern) => pattern.test(id))
const isOfEntry = holds(OF_ENTRY)

/**
 * Which modules travel together: what a screen needs comes in a few files, not in a hundred. A module goes with the first group that
 * names it; what none names, such as a screen, is a file that loads with that screen. `npm test` counts requests and bytes of first loads.
 */
export const groups: Rolldown.CodeSplittingGroup[] = [
  // What the entry needs: a dozen crumbs compress worse than one loaf.
  {
    name: 'core',
    tags: ['$initial'],
    test: (id) => isOfEntry(id) || !/\/packages\/contract\/|\/zod\//.test(id),
  },
  { name: 'base', test: holds(BASE) },
  { name: 'calls', test: holds(CALLS) },
  { name: 'inside', test: holds(INSIDE) },
  { name: 'rights', test: holds(RIGHTS) },
  { name: 'records', test: holds(RECORDS) },
  { name: 'alerts', test: holds(ALERTS) },
  { name: 'wave', test: holds(WAVE) },
  { name: 'details', test: holds(DETAILS) },
  { name: 'lists', test: holds(LISTS) },
  { name: 'menus', test: holds(MENUS) },
  { name: 'forms', test: holds(FORMS) },
  { name: 'role', test: holds(ROLE) },
]
