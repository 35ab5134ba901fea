import { notFound, redirect } from '@tanstack/react-router'
import { profileQuery } from '../api/queries.ts'
import { loadTextsOf } from '../i18n/i18n.ts'
import { queryClient } from '../api/query-client.ts'
import { storeDestination } from '../api/destination.ts'
import { firstDataOrLate } from './prefetch-route.ts'
import { storeActions } from '../api/stored-actions.ts'

/** The guard `terms` (spec section 2): only users who accepted the present version pass. Loads the profile on the way. */
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

/** The provider's own area does not exist for anybody else; from support mode the way there is to end it. */
export async function requireProvider(): Promise<void> {
  const { is_provider, support } = await queryClient.ensureQueryData(profileQuery)
  if (support !== null) throw redirect({ to: '/dashboard' })
  if (!is_provider) throw notFound()
}
