import { createFileRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { session } from '../../api/current-session.ts'
import { storeDestination } from '../../api/sign-in-memory.ts'

const inside = () => import('../../shell/inside.ts')

export const Route = createFileRoute('/dashboard')({
  // Guards auth and terms (spec section 2). They load outside the public pages' chunks.
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
