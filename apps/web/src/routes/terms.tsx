import { createFileRoute } from '@tanstack/react-router'
import { TermsScreen } from '../screens/legal/terms.tsx'

export const Route = createFileRoute('/terms')({
  component: TermsScreen,
})
