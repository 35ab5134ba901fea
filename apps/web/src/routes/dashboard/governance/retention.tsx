import { createFileRoute } from '@tanstack/react-router'
import { lazy } from 'react'
import { withTexts } from '../../../i18n/i18n.ts'

export const Route = createFileRoute('/dashboard/governance/retention')({
  component: lazy(() => withTexts('lazy', import('../../../screens/retention/retention-page.tsx'))),
})
