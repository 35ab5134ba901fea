import { msg } from '@lingui/core/macro'
import { getRouteApi } from '@tanstack/react-router'
import { useMay } from '../../api/use-profile.ts'
import { PageTabs } from '../../ui/page-header.tsx'
import { ConfigsList } from './configs-list.tsx'
import { ReconciliationsList } from './reconciliations-list.tsx'
import { RunsList } from './runs-list.tsx'

const route = getRouteApi('/dashboard/account/transfers')
const to = '/dashboard/account/transfers' as const

/** `/dashboard/account/transfers`: runs; `?tab=configs` shows configs, `?tab=days` reconciliations. */
export default function Transfers() {
  const { tab } = route.useSearch()
  const may = useMay()
  const isConfigs = may('transfer_configs:list') && tab === 'configs'
  const isDays = may('transfer_reconciliations:list') && tab === 'days'
  const tabs = [
    {
      to,
      search: {},
      label: msg({ context: 'transfer', message: 'Runs' }),
      isShown: !isConfigs && !isDays,
      action: 'transfers:list',
    },
    {
      to,
      search: { tab: 'days' as const },
      label: msg`Reconciliation`,
      isShown: isDays,
      action: 'transfer_reconciliations:list',
    },
    {
      to,
      search: { tab: 'configs' as const },
      label: msg`Configurations`,
      isShown: isConfigs,
      action: 'transfer_configs:list',
    },
  ].filter(({ action }) => may(action))
  return (
    <PageTabs label={msg`Transfers`} tabs={tabs.length > 1 ? tabs : []}>
      {isConfigs ? <ConfigsList /> : isDays ? <ReconciliationsList /> : <RunsList />}
    </PageTabs>
  )
}
