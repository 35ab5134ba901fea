import { notFound, redirect } from '@tanstack/react-router'
import { profileQuery } from '../api/queries.ts'
import { loadTextsOf } from '../i18n/i18n.ts'
import { queryClient } from '../api/query-client.ts'
import { storeDestination } from '../api/destination.ts'
import { firstDataOrLate } from './prefetch-route.ts'
import { storeActions } from '../api/stored-actions.ts'

/** Guard `terms` (spec section 2): requires acceptance of the current version. Loads the profile. */
export async function requireTerms({ href, pathname }: { href: string; pathname: string }): Promise<void> {
  const [profile] = await Promise.all([
    queryClient.ensureQueryData(profileQuery),
    loadTextsOf(pathname),
    firstDataOrLate(),
  ])
  if (profile.terms.accepted_at !== null) {
    storeActions(profile.actions)
    if (profile.portal_config.monitoring_config !== undefined)
      void import('../api/monitoring.ts').then(({ startMonitoring }) => startMonitoring(profile))
    return
  }
  storeDestination(href)
  throw redirect({ to: '/terms' })
}

/** The provider's area is hidden from clients; in support mode staff must leave that first. */
export async function requireProvider(): Promise<void> {
  const { is_provider, support } = await queryClient.ensureQueryData(profileQuery)
  if (support !== null) throw redirect({ to: '/dashboard' })
  if (!is_provider) throw notFound()
}
