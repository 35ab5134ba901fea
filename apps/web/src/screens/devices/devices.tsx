import { msg } from '@lingui/core/macro'
import { getRouteApi } from '@tanstack/react-router'
import { useMay } from '../../api/use-profile.ts'
import { PageTabs } from '../../ui/page-tabs.tsx'
import { Commands } from './command-pages.tsx'
import { DevicePage } from './device-page.tsx'
import { DevicesList } from './devices-list.tsx'

const route = getRouteApi('/dashboard/devices/')

const to = '/dashboard/devices'

/** `/dashboard/devices`: the phones; with `?tab=` what they were told; with `?reference=` the one whose name another page has. */
export function Devices() {
  const { reference, tab } = route.useSearch()
  const may = useMay()
  if (reference !== undefined) return <DevicePage key={reference} reference={reference} />
  const isCommands = tab === 'commands' && may('commands:list')
  return (
    <PageTabs
      label={msg`Devices`}
      tabs={
        may('commands:list')
          ? [
              { to, search: {}, label: msg`Devices`, isShown: !isCommands },
              { to, search: { tab: 'commands' }, label: msg`Commands`, isShown: isCommands },
            ]
          : []
      }
    >
      {isCommands ? <Commands /> : <DevicesList />}
    </PageTabs>
  )
}
