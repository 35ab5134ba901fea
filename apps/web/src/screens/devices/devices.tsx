import { getRouteApi } from '@tanstack/react-router'
import { DevicePage } from './device-page.tsx'
import { DevicesList } from './devices-list.tsx'

const route = getRouteApi('/dashboard/devices/')

/** `/dashboard/devices`: the phones; with `?reference=` the one whose name another page has. */
export function Devices() {
  const { reference } = route.useSearch()
  return reference === undefined ? <DevicesList /> : <DevicePage key={reference} reference={reference} />
}
