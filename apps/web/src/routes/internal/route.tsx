import { createFileRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { session } from '../../api/current-session.ts'
import { storeDestination } from '../../api/sign-in-memory.ts'

const inside = () => import('../../shell/inside.ts')

export const Route = createFileRoute('/internal')({
  // Guards auth (spec section 2) and terms: without accepted terms the server answers nothing here.
  beforeLoad: async ({ location }) => {
    if (!session.isSignedIn()) {
      storeDestination(location.href)
      throw redirect({ to: '/sign-in' })
    }
    const { requireProvider, requireTerms } = await inside()
    await requireProvider()
    await requireTerms(location)
  },
  component: lazyRouteComponent(() => import('../../shell/internal-layout.tsx'), 'InternalLayout'),
  pendingComponent: lazyRouteComponent(inside, 'ShellPending'),
  codeSplitGroupings: [],
})
