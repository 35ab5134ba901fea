/** Areas with their own catalogue: public pages, portal, administration, connections of an account, and on-demand parts. Each loads with its first page. */
export const AREAS = ['public', 'portal', 'administration', 'account', 'lazy'] as const
export type Area = (typeof AREAS)[number]

/** Path of an area's catalogue, below `locales`. */
export const getFolder = (area: Area): string => (area === 'portal' ? '' : `${area}/`)

/** Sources of each area; all others belong to the portal. */
export const SOURCES = {
  /** Public pages, and texts that any page may show. */
  public: [
    'src/screens/landing',
    'src/screens/legal',
    'src/screens/sign-in',
    'src/screens/errors',
    'src/components/status-page.tsx',
    'src/components/frame',
    'src/shell/show-notice.tsx',
    'src/api',
  ],
  administration: [
    'src/components/clients',
    'src/components/files',
    'src/components/review',
    ...['device-command-words', 'device-words', 'role-words'].map(
      (words) => `src/components/words/${words}.ts`,
    ),
    'src/components/devices/device-badges.tsx',
    'src/components/devices/numbers.tsx',
    ...[
      'activities',
      'alerts',
      'capture',
      'carriers',
      'device-logs',
      'device-users',
      'devices',
      'groups',
      'licenses',
      'metrics',
      'positions',
      'roles',
      'settings',
      'statistics',
      'support-access',
      'tags',
      'telemetry',
    ].map((noun) => `src/screens/${noun}`),
    'src/screens/people/people-list.tsx',
    ...['enrol-button', 'enrolled-devices', 'enrolment', 'new-enrolment'].map(
      (part) => `src/screens/enrolments/${part}.tsx`,
    ),
    ...['clients-tab', 'identity-drawer', 'identity-fields', 'overview-screen', 'suspension'].map(
      (part) => `src/screens/clients/${part}.tsx`,
    ),
  ],
  account: [
    'src/components/transfers',
    ...['alert-mails', 'client-apps', 'migrations', 'sealed-log', 'transfers', 'verify', 'webhooks'].map(
      (noun) => `src/screens/${noun}`,
    ),
  ],
  lazy: [
    'src/shell/find',
    'src/shell/new-hits-link.tsx',
    'src/shell/shortcuts-sheet.tsx',
    'src/shell/support-bar.tsx',
    'src/shell/user-menu-dropdown.tsx',
    'src/screens/payloads/payload-not-found.tsx',
    'src/screens/payloads/print-record.tsx',
    'src/screens/payloads/recording-access.tsx',
    'src/screens/payloads/related.tsx',
    'src/shell/shortcuts.ts',
    'src/screens/payloads/contacts.tsx',
    'src/screens/payloads/actions/export-dialog.tsx',
    'src/screens/payloads/actions/export-parts.tsx',
    'src/screens/payloads/actions/bulk-conversations.tsx',
    'src/screens/payloads/actions/mark-dialog.tsx',
    'src/screens/payloads/actions/receipt-dialog.tsx',
    'src/shell/client-switch-menu.tsx',
    'src/shell/sign-in-again.tsx',
    'src/screens/payloads/metadata-view.tsx',
    'src/screens/payloads/actions/obstacle-buttons.tsx',
    'src/screens/payloads/actions/after-restoring.tsx',
    'src/screens/payloads/search-list.tsx',
    'src/screens/payloads/search-filters.ts',
    'src/screens/payloads/comments/comment-lists.tsx',
    'src/screens/payloads/conversation-list.tsx',
    'src/screens/payloads/actions/bulk-acts.tsx',
    'src/screens/payloads/actions/bulk-data.tsx',
    'src/screens/messages',
    'src/screens/photos',
    'src/ui/form/conflict-view.tsx',
    'src/screens/words',
    'src/screens/comments',
    'src/screens/reviews',
    'src/screens/account/my-access.tsx',
    'src/screens/dashboard/first-steps.tsx',
    'src/screens/dashboard/trends.tsx',
    'src/screens/identity-providers',
    'src/components/explained-access.tsx',
    'src/screens/people/mapping-drawer.tsx',
    'src/screens/people/roles-drawer.tsx',
    'src/screens/people/person-preview.tsx',
    'src/screens/data-requests',
    ...[
      'hold',
      'hold-dialog',
      'hold-preview',
      'hold-set',
      'hold-set-button',
      'holds-list',
      'matter-fields',
    ].map((part) => `src/screens/legal-holds/${part}.tsx`),
    'src/screens/legal-matters',
    'src/screens/proposals',
    'src/screens/recertifications',
    'src/screens/retention',
    'src/components/transfers',
    'src/screens/enrolments/enrol-dialog.tsx',
    'src/screens/enrolments/enrol-page.tsx',
    'src/components/lists/view-acts.tsx',
    'src/screens/enrolments/enrol-many.tsx',
    'src/screens/clients/client-dialogs.tsx',
    'src/screens/clients/create-drawer.tsx',
  ],
} as const satisfies Partial<Record<Area, readonly string[]>>

const ADMINISTRATION = ['/dashboard/access', '/dashboard/account', '/dashboard/devices', '/internal']
const INSIDE = ['/dashboard', '/internal']

/** Areas that the page at a path needs. */
export function getAreas(path: string): Area[] {
  const isBelow = (roots: readonly string[]) => roots.some((root) => `${path}/`.startsWith(`${root}/`))
  if (isBelow(ADMINISTRATION)) return ['public', 'portal', 'administration']
  return isBelow(INSIDE) ? ['public', 'portal'] : ['public']
}
