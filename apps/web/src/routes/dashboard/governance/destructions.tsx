import { createFileRoute } from '@tanstack/react-router'
import { lazy } from 'react'
import { withTexts } from '../../../i18n/i18n.ts'

export const Route = createFileRoute('/dashboard/governance/destructions')({
  validateSearch: (search: Record<string, unknown>) =>
    search as { certificate?: string; destruction?: string },
  component: lazy(() =>
    withTexts('lazy', import('../../../screens/retention/destructions/destructions-page.tsx')),
  ),
})
