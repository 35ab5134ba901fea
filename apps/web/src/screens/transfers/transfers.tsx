import { msg } from '@lingui/core/macro'
import { getRouteApi } from '@tanstack/react-router'
import { useMay } from '../../api/use-profile.ts'
import { PageTabs } from '../../ui/page-tabs.tsx'
import { ConfigsList } from './configs-list.tsx'
import { RunsList } from './runs-list.tsx'

const route = getRouteApi('/dashboard/account/transfers/')
const to = '/dashboard/account/transfers' as const

/** `/dashboard/account/transfers`: what was put on storage of the account's own, and with `?tab=configs` what is, where and when. */
export default function Transfers() {
  const { tab } = route.useSearch()
  const mayConfigs = useMay()('transfer_configs:list')
  const isConfigs = mayConfigs && tab === 'configs'
  const tabs = [
    { to, search: {}, label: msg({ context: 'transfer', message: 'Runs' }), isShown: !isConfigs },
    { to, search: { tab: 'configs' as const }, label: msg`Configurations`, isShown: isConfigs },
  ]
  return (
    <PageTabs label={msg`Transfers`} tabs={mayConfigs ? tabs : []}>
      {isConfigs ? <ConfigsList /> : <RunsList />}
    </PageTabs>
  )
}
