import { createFileRoute, redirect } from '@tanstack/react-router'
import { session } from '../../api/current-session.ts'
import { rememberDestination } from '../../api/destination.ts'
import { DashboardLayout } from '../../shell/dashboard-layout.tsx'
import { ShellPending } from '../../shell/shell-pending.tsx'

export const Route = createFileRoute('/dashboard')({
  // The guards auth and terms (spec section 2). What they load stays out of the public pages.
  beforeLoad: async ({ location }) => {
    if (!session.isSignedIn()) {
      rememberDestination(location.href)
      throw redirect({ to: '/sign-in' })
    }
    const { requireTerms } = await import('../../shell/guards.ts')
    await requireTerms(location.href)
  },
  component: DashboardLayout,
  pendingComponent: ShellPending,
})
