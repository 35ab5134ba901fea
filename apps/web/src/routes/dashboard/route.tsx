import { createFileRoute, redirect } from '@tanstack/react-router'
import { session } from '../../api/api.ts'
import { profileQuery, queryClient } from '../../api/queries.ts'
import { rememberDestination } from '../../api/sign-in.ts'
import { DashboardLayout } from '../../shell/dashboard-layout.tsx'

export const Route = createFileRoute('/dashboard')({
  // The guards auth and terms (spec section 2).
  beforeLoad: async ({ location }) => {
    if (!session.isSignedIn()) {
      rememberDestination(location.href)
      throw redirect({ to: '/sign-in' })
    }
    const profile = await queryClient.ensureQueryData(profileQuery)
    if (profile.terms.accepted_at === null) {
      rememberDestination(location.href)
      throw redirect({ to: '/terms' })
    }
  },
  component: DashboardLayout,
})
