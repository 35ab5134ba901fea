import { createFileRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { session } from '../../api/current-session.ts'
import { storeDestination } from '../../api/destination.ts'

/** Comes with the guards. */
const inside = () => import('../../shell/inside.ts')

export const Route = createFileRoute('/dashboard')({
  // The guards auth and terms (spec section 2). What they load stays out of the public pages.
  beforeLoad: async ({ location }) => {
    if (!session.isSignedIn()) {
      storeDestination(location.href)
      throw redirect({ to: '/sign-in' })
    }
    const { requireTerms } = await inside()
    await requireTerms(location)
  },
  component: lazyRouteComponent(inside, 'DashboardLayout'),
  pendingComponent: lazyRouteComponent(inside, 'ShellPending'),
  codeSplitGroupings: [],
})
