import { QueryClientProvider } from '@tanstack/react-query'
import { notFound, redirect } from '@tanstack/react-router'
import { forgetOtherUser, nameOfUser, storeActions } from '../api/kept-session.ts'
import { profileQuery } from '../api/queries.ts'
import { queryClient } from '../api/query-client.ts'
import { storeDestination } from '../api/sign-in-memory.ts'
import { BrandMark } from '../components/frame/frame-parts.tsx'
import { loadTextsOf } from '../i18n/i18n.ts'
import { PagePending } from '../ui/page-pending.tsx'
import { CLIENT_AREA } from './navigation.ts'
import { firstDataOrLate } from './prefetch-route.ts'
import { Shell } from './shell.tsx'
import classes from './shell.module.css'

/** Layout of a client's pages, with the query client. */
export const DashboardLayout = () => (
  <QueryClientProvider client={queryClient}>
    <Shell area={CLIENT_AREA} />
  </QueryClientProvider>
)

/** Guard `terms` (spec section 2): requires acceptance of the current version. Loads the profile. */
export async function requireTerms({ href, pathname }: { href: string; pathname: string }): Promise<void> {
  const [profile] = await Promise.all([
    queryClient.ensureQueryData(profileQuery),
    loadTextsOf(pathname),
    firstDataOrLate(),
  ])
  if (profile.terms.accepted_at !== null) {
    storeActions(profile.actions)
    forgetOtherUser(profile)
    if (profile.portal_config.monitoring_config !== undefined)
      void import('../api/monitoring.ts').then(({ startMonitoring }) => startMonitoring(profile))
    return
  }
  storeDestination(href, nameOfUser(profile))
  throw redirect({ to: '/terms' })
}

/** The provider's area is hidden from clients; in support mode staff must leave that first. */
export async function requireProvider(): Promise<void> {
  const { is_provider, support } = await queryClient.ensureQueryData(profileQuery)
  if (support !== null) throw redirect({ to: '/dashboard' })
  if (!is_provider) throw notFound()
}

/** Placeholder of the shell in its final size. */
export const ShellPending = () => (
  <div className={classes.shell} aria-busy="true">
    <div className={`${classes.header} ${classes.waiting}`}>
      <BrandMark />
    </div>
    <div className={classes.navigation} />
    <div className={classes.main}>
      <PagePending />
    </div>
  </div>
)
