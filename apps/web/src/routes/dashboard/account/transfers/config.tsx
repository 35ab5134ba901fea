import { createFileRoute } from '@tanstack/react-router'
import { lazy } from 'react'
import { withTexts } from '../../../../i18n/i18n.ts'
import { read } from '../../../../routing/search.ts'

export const Route = createFileRoute('/dashboard/account/transfers/config')({
  validateSearch: (search: Record<string, unknown>): { reference?: string | undefined } => ({
    reference: read.text(search.reference),
  }),
  component: lazy(() => withTexts('lazy', import('../../../../screens/transfers/config-page.tsx'))),
})
