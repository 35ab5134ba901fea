import { createFileRoute } from '@tanstack/react-router'
import { lazy } from 'react'
import { withTexts } from '../../../../i18n/i18n.ts'

export const Route = createFileRoute('/dashboard/account/transfers/$transfer_id')({
  component: lazy(() => withTexts('lazy', import('../../../../screens/transfers/run-page.tsx'))),
})
