import { createFileRoute } from '@tanstack/react-router'
import { lazy } from 'react'
import type { SearchOf } from '../../../../components/lists/call-search.ts'
import { withTexts } from '../../../../i18n/i18n.ts'

export const Route = createFileRoute('/dashboard/account/transfers/')({
  // Only the type: the tabs read the address through their schemas.
  validateSearch: (search: Record<string, unknown>) =>
    search as SearchOf<'listTransfers'> &
      SearchOf<'listTransferConfigs'> &
      SearchOf<'listTransferReconciliations'> & { tab?: 'configs' | 'days' },
  component: lazy(() => withTexts('lazy', import('../../../../screens/transfers/transfers.tsx'))),
})
