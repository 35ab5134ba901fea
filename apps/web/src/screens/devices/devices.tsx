import { msg } from '@lingui/core/macro'
import { getRouteApi } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { useMay } from '../../api/use-profile.ts'
import { PagePending } from '../../ui/page-pending.tsx'
import { PageTabs } from '../../ui/page-tabs.tsx'
import { Commands } from './command-pages.tsx'
import { DevicesList } from './devices-list.tsx'
import { EnrolmentList } from './enrolment-list.tsx'

/** Rarely shown from here: its page comes when it is. */
const DevicePage = lazy(() => import('./device-page.tsx').then((page) => ({ default: page.DevicePage })))

const route = getRouteApi('/dashboard/devices/')

const to = '/dashboard/devices' as const

/** `/dashboard/devices`: the phones; with `?tab=` what they were told, or what they were given to join the account; with `?reference=` the one whose name another page has. */
export function Devices() {
  const { reference, tab } = route.useSearch()
  const may = useMay()
  if (reference !== undefined)
    return (
      <Suspense fallback={<PagePending />}>
        <DevicePage key={reference} reference={reference} />
      </Suspense>
    )
  const isCommands = tab === 'commands' && may('commands:list')
  const isEnrolments = tab === 'enrolments' && may('devices.enrolments:list')
  const tabs = [
    { to, search: {}, label: msg`Devices`, isShown: !isCommands && !isEnrolments },
    ...(may('devices.enrolments:list')
      ? [{ to, search: { tab: 'enrolments' as const }, label: msg`Enrolments`, isShown: isEnrolments }]
      : []),
    ...(may('commands:list')
      ? [{ to, search: { tab: 'commands' as const }, label: msg`Commands`, isShown: isCommands }]
      : []),
  ]
  return (
    <PageTabs label={msg`Devices`} tabs={tabs.length > 1 ? tabs : []}>
      {isCommands ? <Commands /> : isEnrolments ? <EnrolmentList /> : <DevicesList />}
    </PageTabs>
  )
}
