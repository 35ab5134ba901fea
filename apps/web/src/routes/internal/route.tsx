import { createFileRoute, redirect } from '@tanstack/react-router'
import { session } from '../../api/current-session.ts'
import { rememberDestination } from '../../api/destination.ts'
import { InternalLayout } from '../../shell/internal-layout.tsx'
import { ShellPending } from '../../shell/shell-pending.tsx'

export const Route = createFileRoute('/internal')({
  // The guard auth (spec section 2), and terms as well: without them the server answers nothing here.
  beforeLoad: async ({ location }) => {
    if (!session.isSignedIn()) {
      rememberDestination(location.href)
      throw redirect({ to: '/sign-in' })
    }
    const { requireProvider, requireTerms } = await import('../../shell/guards.ts')
    await requireProvider()
    await requireTerms(location.href)
  },
  component: InternalLayout,
  pendingComponent: ShellPending,
})
