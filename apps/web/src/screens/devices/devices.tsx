import { FLEET_TABS, type FleetTab } from '@custodia/contract'
import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { getRouteApi } from '@tanstack/react-router'
import { type ComponentType, lazy, Suspense } from 'react'
import { useMay } from '../../api/use-profile.ts'
import { PageTabs } from '../../ui/page-header.tsx'
import { PagePending } from '../../ui/page-pending.tsx'

/** Lazy: the device page, the list and each tab load on demand. */
const DevicePage = lazy(async () => ({ default: (await import('./device-page.tsx')).DevicePage }))
const DevicesList = lazy(async () => ({ default: (await import('./devices-list.tsx')).DevicesList }))
const Commands = lazy(async () => ({ default: (await import('./command-pages.tsx')).Commands }))
const Enrolments = lazy(async () => ({ default: (await import('./enrolment-list.tsx')).EnrolmentList }))
const Positions = lazy(() => import('./last-positions.tsx'))
const Capture = lazy(async () => ({
  default: (await import('../capture/capture-pages.tsx')).Capture,
}))
const Telemetry = lazy(async () => ({
  default: (await import('../telemetry/telemetry-lists.tsx')).TelemetryTab,
}))

const route = getRouteApi('/dashboard/devices')

const to = '/dashboard/devices' as const

/** Tabs next to the device list. */
const TABS = [
  { tab: 'enrolments', label: msg`Enrolments`, Page: Enrolments },
  { tab: 'commands', label: msg`Commands`, Page: Commands },
  { tab: 'telemetry', label: msg`Telemetry`, Page: Telemetry },
  { tab: 'capture', label: msg`Capture`, Page: Capture },
  { tab: 'map', label: msg`Map`, Page: Positions },
] as const satisfies readonly { tab: FleetTab; label: MessageDescriptor; Page: ComponentType }[]

/**
 * `/dashboard/devices`: devices; `?tab=` shows commands, telemetry, capture gaps or enrolments; `?reference=` a device
 * whose name equals another page.
 */
export function Devices() {
  const { reference, tab } = route.useSearch()
  const may = useMay()
  if (reference !== undefined)
    return (
      <Suspense fallback={<PagePending />}>
        <DevicePage key={reference} reference={reference} />
      </Suspense>
    )
  const offered = TABS.filter((each) => may(FLEET_TABS[each.tab]))
  const shown = offered.find((each) => each.tab === tab)
  const tabs = [
    { to, search: {}, label: msg`Devices`, isShown: shown === undefined },
    ...offered.map((each) => ({
      to,
      search: { tab: each.tab },
      label: each.label,
      isShown: each === shown,
    })),
  ]
  return (
    <PageTabs label={msg`Devices`} tabs={tabs.length > 1 ? tabs : []}>
      <Suspense fallback={<PagePending />}>{shown ? <shown.Page /> : <DevicesList />}</Suspense>
    </PageTabs>
  )
}
