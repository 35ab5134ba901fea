import { createFileRoute } from '@tanstack/react-router'
import { lazy } from 'react'
import { withTexts } from '../../../i18n/i18n.ts'

export const Route = createFileRoute('/dashboard/account/alert-mails')({
  component: lazy(() => withTexts('lazy', import('../../../screens/alert-mails/alert-mails.tsx'))),
})
