import { createFileRoute } from '@tanstack/react-router'
import { lazy } from 'react'
import type { SearchOf } from '../../../../components/lists/call-search.ts'
import { withTexts } from '../../../../i18n/i18n.ts'

export const Route = createFileRoute('/dashboard/account/transfers/')({
  // Type import only: the lists parse the address, and their schemas stay out of the first load.
  validateSearch: (search: Record<string, unknown>) =>
    search as SearchOf<'listTransfers'> &
      SearchOf<'listTransferConfigs'> &
      SearchOf<'listTransferReconciliations'> & { tab?: 'configs' | 'days' },
  component: lazy(() => withTexts('lazy', import('../../../../screens/transfers/transfers.tsx'))),
})
