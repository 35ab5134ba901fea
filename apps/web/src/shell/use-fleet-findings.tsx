import { useDebouncedValue } from '@mantine/hooks'
import type { SpotlightActionData } from '@mantine/spotlight'
import { useLingui } from '@lingui/react/macro'
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { pageOf } from '../api/all-pages.ts'
import { keyOf } from '../api/call-keys.ts'
import { fleetApi } from '../api/fleet-api.ts'
import { useMay } from '../api/use-profile.ts'
import { deviceAt } from '../components/devices/device-at.ts'
import { PAUSE_MS, SHORTEST_SOUGHT } from '../components/payloads/suggestions.ts'
import { personName } from '../components/person-name.ts'
import { Icon } from '../ui/icon.tsx'
import { visible } from '../ui/visible.ts'

/** People, and devices, that the command menu names at most. */
const NAMED = 3

const peopleQuery = (search: string) =>
  queryOptions({
    queryKey: keyOf('listDeviceUsers', 'found', search),
    queryFn: ({ signal }) =>
      pageOf(fleetApi.listDeviceUsers({ query: { search, limit: NAMED } }, { signal })),
    placeholderData: keepPreviousData,
    meta: { silent: true },
  })
const devicesQuery = (search: string) =>
  queryOptions({
    queryKey: keyOf('listDevices', 'found', search),
    queryFn: ({ signal }) => pageOf(fleetApi.listDevices({ query: { search, limit: NAMED } }, { signal })),
    placeholderData: keepPreviousData,
    meta: { silent: true },
  })

/**
 * The people and devices that the command menu finds, by what their lists find them by: names, references, addresses, numbers. Each list answers
 * for itself, so nothing is named that the reader's list would not show.
 */
export function useFleetFindings(typed: string): readonly SpotlightActionData[] {
  const { t } = useLingui()
  const may = useMay()
  const navigate = useNavigate()
  const [search] = useDebouncedValue(typed.slice(0, 255), PAUSE_MS)
  const isSought = typed.length >= SHORTEST_SOUGHT && search.length >= SHORTEST_SOUGHT
  const seesPeople = isSought && may('users:list') && may('users:read')
  const seesDevices = isSought && may('devices:list') && may('devices:read')
  const people = useQuery({ ...peopleQuery(search), enabled: seesPeople })
  const devices = useQuery({ ...devicesQuery(search), enabled: seesDevices })
  return [
    ...(seesPeople ? (people.data?.data ?? []) : []).map((user): SpotlightActionData => {
      const { device_user_reference } = user
      const name = personName(user)
      return {
        id: `device user ${device_user_reference}`,
        label: visible(name || device_user_reference),
        description: [
          t`Device user`,
          name && visible(device_user_reference),
          user.email && visible(user.email),
        ]
          .filter(Boolean)
          .join(' · '),
        leftSection: <Icon name="user" />,
        onClick: () =>
          void navigate({
            to: '/dashboard/devices/users/$device_user_reference',
            params: { device_user_reference },
          }),
      }
    }),
    ...(seesDevices ? (devices.data?.data ?? []) : []).map((device): SpotlightActionData => {
      const { device_reference, model, phone_numbers } = device
      return {
        id: `device ${device_reference}`,
        label: visible(personName(device) || device.device_user_reference || model || device_reference),
        description: [t`Device`, model, phone_numbers[0]?.phone_number, device_reference]
          .flatMap((part) => (part ? visible(part) : []))
          .join(' · '),
        leftSection: <Icon name="device" />,
        onClick: () => void navigate(deviceAt(device_reference)),
      }
    }),
  ]
}
