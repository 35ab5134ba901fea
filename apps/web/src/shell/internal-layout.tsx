import { msg } from '@lingui/core/macro'
import { QueryClientProvider } from '@tanstack/react-query'
import { queryClient } from '../api/query-client.ts'
import type { Area, AreaEntry } from './navigation.ts'
import { Shell } from './shell.tsx'

interface InternalPage extends AreaEntry {
  /** Absent: open to all provider staff. */
  action?: string
}

/** Pages of the provider's area (spec section 2) with their permission. */
const PAGES: readonly InternalPage[] = [
  { to: '/internal', section: 'home', label: msg`Overview`, icon: 'overview' },
  {
    to: '/internal/support',
    section: 'clients',
    label: msg`Support`,
    icon: 'lifebuoy',
    action: 'internal.supportaccess:list',
  },
  {
    to: '/internal/licenses',
    section: 'clients',
    label: msg`Licences`,
    icon: 'check-circle',
    action: 'internal.licenses:list',
  },
  {
    to: '/internal/alerts',
    section: 'clients',
    label: msg`Alerts`,
    icon: 'bell',
    action: 'internal.alerts:list',
  },
  {
    to: '/internal/carriers',
    section: 'installation',
    label: msg`Carriers`,
    icon: 'globe',
    action: 'internal.countries:list',
  },
  {
    to: '/internal/statistics',
    section: 'installation',
    label: msg`Statistics`,
    icon: 'archive',
    action: 'internal.statistics:read',
  },
]

const bare = (fullPath: string): string => fullPath.replace(/(?<=.)\/$/, '')

/** Area of provider staff outside support mode. */
export const INTERNAL_AREA: Area = {
  home: '/internal',
  sections: { home: undefined, clients: msg`Clients`, installation: msg`Installation` },
  menuFor: ({ actions }) => PAGES.filter(({ action }) => action === undefined || actions.includes(action)),
  missingAt: (fullPath, _tab, { actions }) => {
    const needed = PAGES.find(({ to }) => to === bare(fullPath).replace(/\/\$.*/, ''))?.action
    return needed === undefined || actions.includes(needed) ? undefined : { action: needed }
  },
}

/** Layout of the provider's pages. */
export const InternalLayout = () => (
  <QueryClientProvider client={queryClient}>
    <Shell area={INTERNAL_AREA} />
  </QueryClientProvider>
)
