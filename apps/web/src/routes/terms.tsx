import { createFileRoute } from '@tanstack/react-router'
import { session } from '../api/api.ts'
import { profileQuery, queryClient } from '../api/queries.ts'
import { TermsScreen } from '../screens/legal/terms.tsx'

export const Route = createFileRoute('/terms')({
  // A visitor reads; a signed-in user who has not accepted yet is asked.
  loader: async () => {
    if (session.isSignedIn()) await queryClient.ensureQueryData(profileQuery).catch(() => undefined)
  },
  component: TermsScreen,
})
