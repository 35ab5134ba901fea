import type { Rolldown } from 'vite'

/** Matches modules of the portal itself by their path below `src`, without ending. */
const own = (...paths: string[]): RegExp =>
  new RegExp(`/apps/web/src/(?:${paths.join('|')})(?:\\.module)?\\.[a-z]+$`)
const contract = (...files: string[]): RegExp =>
  new RegExp(`/packages/contract/src/(?:${files.join('|')})\\.ts$`)
const mantine = (...components: string[]): RegExp =>
  new RegExp(`/@mantine/core/esm/components/(?:${components.join('|')})/`)
const hooks = (...names: string[]): RegExp => new RegExp(`/@mantine/hooks/esm/(?:${names.join('|')})/`)

/** Contract code for the first script; the schemas load with the first call. */
const OF_ENTRY = [contract('sign-in-facts', 'phrases', 'fault-phrases'), /rolldown\/runtime/]

/** Code shared by most pages, public pages included. */
const BASE = [
  own('components/frame/(?:brand|colour-mode-switch|language-switch|skip-link)', 'api/last-account'),
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
  own(
    'api/(?:preloaded-responses|refresh-tokens|own-account-calls|problem-phrases|client-parameter|open-external)',
  ),
]

/** What the pages behind the sign-in share: shell, rights, calls. */
const INSIDE = [
  // Texts of alerts, failures, the log and permissions load with their pages, as do fleet and provider calls.
  contract(
    '(?!abandonment|alert-mails|alert-subscriptions|alert-texts|alert-webhooks|calling-codes|carriers|clients|comments|contacts|claim-mapping|csv-text|data-requests|destructions|device|enrolments|exports|failures|gps|index|legal|log-sentence|marks|metrics|migration|people|permission-words|playheads|phone-log-sentences|problems|propos|restore|retention|sealed-reports|staff|statistics|telemetry|transfer)[\\w-]+',
  ),
  /\/@tanstack\/(?:react-query|query-core)\/build\/modern\/(?!(?:infiniteQueryO|useInfinite))/,
  own('shell/navigation', 'components/alerts/[\\w-]+', 'components/words/alert-words'),
  own(
    'components/(?:group-name|held-badge|person-name)',
    'components/words/spec-word',
    'components/devices/device-at',
  ),
  own(
    'api/(?!alert-mails-api|comments-api|contacts-api|exports-api|playhead-api|problem-texts|proposals-api|requests-api|retention-api|review-api|fleet-api|gps-api|holds-api|home-api|identity-api|internal-api|people-api|internal-telemetry-api|telemetry-api|transfers-api|metrics-api|migrations-api|monitoring|phones-api|sign-in|support-mode|use-account|use-demo|webhooks-api)[\\w-]+',
  ),
  own(
    'shell/(?:command-field|inside|launchers|guards|prefetch-route|dashboard-layout|area|shell|top-bar|alert-bell|side-navigation|shell-pending|reason-question|user-button|user-menu|client-button|client-switch|use-session-notice|notice-delay)',
  ),
  own(
    'ui/(?:form/record-query|hint|keep-keys|middle-ellipsis|after-paint|empty-state|error-state|page-header|page-tabs|reference|use-now|use-single-keys|visible)',
  ),
  mantine('Alert', 'Card', 'Center', 'Kbd', 'Progress', 'ThemeIcon'),
  hooks('use-clipboard', 'use-disclosure', 'use-hotkeys', 'use-local-storage', 'use-window-event'),
  /\/@mantine\/core\/esm\/core\//,
]

/** Names of permissions. */
const RIGHTS = [
  contract('permission-words'),
  own('components/words/(?:action-[\\w-]+|patterns-in-words|wildcards)'),
]

/** Small components that draw records in lists and on detail pages. */
const RECORDS = [
  contract('calling-codes', 'comments', 'csv-text', 'failures', 'marks'),
  /\/@tanstack\/(?:react-query|query-core)\//,
  /\/packages\/domain\/src\/can\/payload/,
  own('ui/(?:loaded|time|time-format)', 'components/words/(?!device|role|spec-word)[\\w-]+'),
  own(
    'components/(?:cells|choices|facts|held-filter|marked-text|current-search|saved-columns|service-words|state-badge)',
    'components/devices/links',
    'components/player/pending-playback',
  ),
  own(
    'components/lists/(?:call-search|columns|csv|date-range|define-list|list-memory|list-records|list-search|page-rows|rows-query|total-text)',
  ),
  own(
    'components/payloads/(?:time-warnings|export-data-button|listed-at|party-text|payload-cells|payload-choices|payload-columns|payload-list|payload-totals|queries|review-queue|services|suggestions)',
  ),
  mantine('Anchor', 'Combobox/ComboboxChevron', 'Combobox/get-parsed-combobox-data'),
  /\/Combobox\.module\.|\/Checkbox\/CheckIcon\./,
  hooks('use-force-update', 'use-media-query', 'use-network', 'use-resize-observer', 'use-uncontrolled'),
]

/** What alerts say, and their list. */
const ALERTS = [
  contract('alert-texts'),
  own('screens/alerts/(?:alerts|alert-(?:cells|columns|filters|key|search|texts))'),
  /\/routes\/dashboard\/account\/alerts\.tsx\?tsr-split/,
]

/** The page of one payload, with its player. */
const DETAILS = [
  contract('abandonment'),
  contract('restore'),
  own('screens/calls/call-detail'),
  /\/routes\/dashboard\/services\/calls\/\$payload_reference\.tsx\?tsr-split/,
  own(
    'components/payloads/(?!contacts\\.|contents|payload-not-found|metadata-view|payload-preview|next-to-play|payload-tile|payloads-of|thumbnails|queue-more|related)[\\w-]+',
    'ui/use-space-bar',
  ),
  own('components/reviewing/(?:mark-styles|marks-bar|marks-query|next-unmarked)', 'api/review-api'),
  own(
    'components/payload-type',
    'components/player/(?!draw-sound|film|stopped-line|waveform|wave-height)[\\w-]+',
  ),
  mantine('Chip', 'NativeSelect', 'Tabs', 'Timeline'),
]

/** The list engine, and the list of calls, which users open most. */
const LISTS = [
  own('screens/calls/calls-list'),
  own(
    'components/lists/(?:column-settings|csv-columns|grid-(?:acts|keys)|list-(?:sort|footer|grid|header|page|row|states|view)|search-style|selection|use-hidden-columns|use-pressed-row|use-list-columns|use-list-rows|use-selection)',
  ),
  /\/@tanstack\/(?:react-virtual|virtual-core)\//,
]

/** The waveform and the comments over it; every recording page needs both. The panel loads with its tab. */
const WAVE = [
  own('components/player/waveform'),
  /\/wavesurfer\.js\//,
  own('api/comments-api', 'components/comments/(?:comment-lane|comments|part-text|queries)'),
]

/** Clients, their people, and how claims of their identity providers are read. */
const CLAIMS = [contract('claim-mapping', 'clients', 'people')]

/** Menus of buttons and toolbars of lists. */
const MENUS = [
  // Texts for fleet, export and provider calls. A payload page does not need them for its first paint.
  contract(
    'carriers',
    'contacts',
    'device',
    'device-(?!holders|numbers|users)[\\w-]+',
    'enrolments',
    'exports',
    'gps',
    'metrics',
    'playheads',
    'proposed',
    'sealed-reports',
    'staff',
    'statistics',
    'telemetry(?:-facts)?',
  ),
  own(
    'components/lists/(?:bulk-bar|column-chooser|date-words|filter-[\\w-]+|list-controls|view-mode-switch|save-view-button|saved-views|search-suggestions|use-next-chip|view-tabs)',
  ),
  /\/@floating-ui\//,
  mantine('Menu', 'Combobox', 'Popover', 'Tooltip', 'SegmentedControl', 'FloatingIndicator', 'Checkbox'),
  mantine('FocusTrap', 'Switch', 'Portal', 'Overlay', 'ScrollArea', 'Transition'),
  /\/@mantine\/core\/esm\/utils\/|\/RadioIcon\.|\/AccordionChevron\./,
  hooks('[\\w-]+'),
  own('ui/(?:find-text|use-dropdown-focus)'),
]

/** Drawers and dialogs, with their fields. */
const FORMS = [
  own('ui/(?:confirm|delete-button|dialog|may-button|sample-list)', 'ui/form/(?!record-query)[\\w-]+'),
  own(
    'components/(?:access-select|networks-input|reason-dialog|record-preview|reason-question-dialog)',
    'components/review/[\\w-]+',
  ),
  mantine('Drawer', 'List', 'Modal', 'ModalBase', 'MultiSelect', 'Pill', 'PillsInput', 'Radio', 'Select'),
  mantine('Table', 'TagsInput', 'Textarea', 'NativeScrollArea'),
  /\/@tanstack\/react-router\/dist\/esm\/useBlocker/,
  /\/(?:react-remove-scroll|react-remove-scroll-bar|use-sidecar|use-callback-ref|react-style-singleton|tslib)\//,
]

/** Devices and device users: page heads and calls. Tabs load when they are opened. */
const FLEET = [
  contract('devices', 'device-(?:holders|numbers|users)'),
  own(
    'api/phones-api',
    'components/record-(?:page|tabs)',
    'components/devices/(?:device-state|silence-badge|waiting-badge)',
    'components/words/device-words',
    'screens/devices/device-query',
    'screens/device-users/(?:full-name|user-query|user-state)',
  ),
]

/** Actions on a device or device user. */
const FLEET_ACTS = [
  own(
    'components/enrolments/enrol-button',
    'screens/devices/(?:decide-buttons|device-acts|device-buttons|send-command|send-commands)',
    'screens/device-users/(?:onboard-button|phone-queue|user-buttons|user-input)',
    'ui/act-button',
  ),
]

/** Reports of devices. */
const TELEMETRY = [
  own(
    'api/(?:internal-)?telemetry-api',
    'components/telemetry/(?!device|chart|provider|telemetry-preview|opened|applications)[\\w-]+',
  ),
]

const ROLE = [
  own(
    'screens/roles/(?!account-defaults|content-search|defaults-query|taking-away|roles-list|role-cells)[\\w-]+',
  ),
  /\/routes\/dashboard\/access\/roles\/(?:\$role_reference|create)\.tsx\?tsr-split/,
]

const holds = (patterns: readonly RegExp[]) => (id: string) => patterns.some((pattern) => pattern.test(id))
const isOfEntry = holds(OF_ENTRY)

/**
 * Groups modules so that a screen loads a few files, not a hundred. A module belongs to the first group that matches
 * it; others load with their screen.
 */
export const groups: Rolldown.CodeSplittingGroup[] = [
  // One chunk for the entry: many small chunks compress worse.
  {
    name: 'core',
    tags: ['$initial'],
    test: (id) => isOfEntry(id) || !/\/packages\/contract\/|\/zod\//.test(id),
  },
  { name: 'problems', test: holds([contract('problems')]) },
  { name: 'base', test: holds(BASE) },
  { name: 'calls', test: holds(CALLS) },
  { name: 'inside', test: holds(INSIDE) },
  { name: 'rights', test: holds(RIGHTS) },
  { name: 'records', test: holds(RECORDS) },
  { name: 'alerts', test: holds(ALERTS) },
  { name: 'wave', test: holds(WAVE) },
  { name: 'details', test: holds(DETAILS) },
  { name: 'fleet', test: holds(FLEET) },
  { name: 'lists', test: holds(LISTS) },
  { name: 'claims', test: holds(CLAIMS) },
  { name: 'menus', test: holds(MENUS) },
  { name: 'forms', test: holds(FORMS) },
  { name: 'role', test: holds(ROLE) },
  { name: 'fleet-acts', test: holds(FLEET_ACTS) },
  { name: 'telemetry', test: holds(TELEMETRY) },
]
