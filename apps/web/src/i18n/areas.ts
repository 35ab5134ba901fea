/** Areas with their own catalogue: public pages, portal, administration, and on-demand parts. Each loads with its first page. */
export const AREAS = ['public', 'portal', 'administration', 'lazy'] as const
export type Area = (typeof AREAS)[number]

/** Path of an area's catalogue, below `locales`. */
export const folderOf = (area: Area): string => (area === 'portal' ? '' : `${area}/`)

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
    'src/components/enrolments',
    'src/components/capture',
    'src/components/files',
    'src/components/gps',
    'src/components/map',
    'src/components/telemetry',
    ...[
      'activities',
      'alerts',
      'carriers',
      'client-apps',
      'device-logs',
      'device-users',
      'devices',
      'groups',
      'licenses',
      'metrics',
      'roles',
      'statistics',
      'support-access',
      'tags',
    ].map((noun) => `src/screens/${noun}`),
    'src/screens/people/people-list.tsx',
    ...[
      'clients-tab',
      'identity-drawer',
      'identity-fields',
      'overview-cards',
      'overview-screen',
      'staff-tab',
      'suspension',
      'waiting-change',
    ].map((part) => `src/screens/clients/${part}.tsx`),
  ],
  lazy: [
    'src/shell/find',
    'src/shell/shortcuts-sheet.tsx',
    'src/shell/shortcuts.ts',
    'src/components/payloads/contacts.tsx',
    'src/components/reviewing/export-dialog.tsx',
    'src/components/reviewing/export-parts.tsx',
    'src/components/reviewing/mark-dialog.tsx',
    'src/components/reviewing/receipt-dialog.tsx',
    'src/components/payloads/facts-retention.tsx',
    'src/components/words/retention-block-words.ts',
    'src/components/claims',
    'src/screens/people/mapping-drawer.tsx',
    'src/screens/people/roles-drawer.tsx',
    'src/screens/people/person-preview.tsx',
    'src/components/data-requests',
    'src/components/destructions',
    'src/components/legal-holds',
    'src/components/legal-matters',
    'src/components/proposals',
    'src/components/retention',
    'src/components/transfers',
    'src/screens/alert-mails',
    'src/screens/clients/create-drawer.tsx',
    'src/screens/clients/created-dialog.tsx',
    'src/screens/clients/deleted-dialog.tsx',
    'src/screens/clients/deletion.tsx',
    'src/screens/migrations',
    'src/screens/transfers',
    'src/screens/webhooks',
  ],
} as const satisfies Partial<Record<Area, readonly string[]>>

const ADMINISTRATION = ['/dashboard/access', '/dashboard/account', '/dashboard/devices', '/internal']
const INSIDE = ['/dashboard', '/internal']

/** Areas that the page at a path needs. */
export function areasOf(path: string): Area[] {
  const isBelow = (roots: readonly string[]) => roots.some((root) => `${path}/`.startsWith(`${root}/`))
  if (isBelow(ADMINISTRATION)) return ['public', 'portal', 'administration']
  return isBelow(INSIDE) ? ['public', 'portal'] : ['public']
}
