import type { Device, DeviceUser, PortalPerson } from '@custodia/contract'
import { useLingui } from '@lingui/react/macro'
import { useDebouncedValue } from '@mantine/hooks'
import { type QueryKey, useQuery, type UseQueryOptions } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { peopleApi } from '../../api/access-api.ts'
import { callQuery } from '../../api/call-keys.ts'
import { devicesApi } from '../../api/devices-api.ts'
import { useMay } from '../../api/use-profile.ts'
import { deviceAt } from '../../components/devices/device-at.ts'
import { personName } from '../../components/names.tsx'
import { PAUSE_MS, SHORTEST_SEARCH } from '../../screens/payloads/suggestions.ts'
import { visible } from '../../ui/visible.ts'
import type { Command } from './command.ts'

/** Answer for the current text; undefined for an earlier text. */
interface Answer<Data> {
  data: Data | undefined
  isPending: boolean
  /** Retries; absent: answered. */
  retry?: (() => void) | undefined
}

/** The typed text after a pause; undefined before. */
function useSettled(typed: string): string | undefined {
  const [settled] = useDebouncedValue(typed, PAUSE_MS)
  return settled === typed ? typed : undefined
}

/** Requests an answer for the settled text. Requests for earlier texts are aborted and never shown: Enter takes the visible result. */
export function useAnswer<Data, Key extends QueryKey>(
  typed: string,
  isWanted: boolean,
  getQuery: (settled: string) => UseQueryOptions<Data, Error, Data, Key>,
): Answer<Data> {
  const settled = useSettled(typed)
  const { data, isError, refetch } = useQuery({
    ...getQuery(settled ?? typed),
    enabled: isWanted && settled !== undefined,
    meta: { silent: true },
  })
  if (!isWanted) return { data: undefined, isPending: false }
  if (settled === undefined) return { data: undefined, isPending: true }
  return {
    data,
    isPending: data === undefined && !isError,
    retry: isError ? () => void refetch() : undefined,
  }
}

/** Maximum people and devices shown. */
const NAMED = 3

const peopleQuery = (search: string) =>
  callQuery(devicesApi, 'listDeviceUsers', { query: { search, limit: NAMED } })
const devicesQuery = (search: string) =>
  callQuery(devicesApi, 'listDevices', { query: { search, limit: NAMED } })
const portalUsersQuery = (search: string) =>
  callQuery(peopleApi, 'listPeople', { query: { search, limit: NAMED } })

/** Device users, portal users and devices by the search of their lists: names, references, addresses, numbers. List calls apply the access rules. */
export function useFleetFindings(typed: string) {
  const { t } = useLingui()
  const may = useMay()
  const navigate = useNavigate()
  const isSearched = typed.length >= SHORTEST_SEARCH
  const people = useAnswer(typed, isSearched && may('users:list') && may('users:read'), peopleQuery)
  const users = useAnswer(typed, isSearched && may('people:list') && may('people:read'), portalUsersQuery)
  const devices = useAnswer(typed, isSearched && may('devices:list') && may('devices:read'), devicesQuery)

  const getPerson = (user: DeviceUser): Command => {
    const { device_user_reference, email } = user
    const name = personName(user)
    return {
      id: `device user ${device_user_reference}`,
      label: visible(name || device_user_reference),
      detail: toResponse(t`Device user`, name && device_user_reference, email),
      icon: 'user',
      go: () =>
        navigate({
          to: '/dashboard/devices/users/$device_user_reference',
          params: { device_user_reference },
        }),
    }
  }
  const getUser = ({ user_reference, display_name, email }: PortalPerson): Command => ({
    id: `portal user ${user_reference}`,
    label: visible(display_name ?? user_reference),
    detail: toResponse(t`Portal user`, display_name && user_reference, email),
    icon: 'user',
    go: () => navigate({ to: '/dashboard/access/people', search: { preview: user_reference } as never }),
  })
  const getDevice = (device: Device): Command => {
    const { device_reference, device_user_reference, model } = device
    return {
      id: `device ${device_reference}`,
      label: visible(personName(device) || device_user_reference || model || device_reference),
      detail: toResponse(t`Device`, model, getNumber(device, typed), device_reference),
      icon: 'device',
      go: () => navigate(deviceAt(device_reference)),
    }
  }
  const more: Command = {
    id: 'devices',
    label: t`All devices with “${visible(typed)}”`,
    detail: t`Devices`,
    icon: 'device',
    go: () => navigate({ to: '/dashboard/devices', search: { search: typed } as never }),
  }
  return {
    answers: [people, users, devices],
    commands: [
      ...(people.data?.data ?? []).map(getPerson),
      ...(users.data?.data ?? []).map(getUser),
      ...(devices.data?.data ?? []).map(getDevice),
      ...(devices.data?.last_key === undefined ? [] : [more]),
    ],
  }
}

const toResponse = (...parts: readonly (string | null | undefined)[]): string =>
  parts.flatMap((part) => (part ? visible(part) : [])).join(' · ')

/** Compared digits: the beginning or the end of a number, without the zero of its national form. */
const COMPARED = 7

/** The matching number of a device; else its first. */
function getNumber({ phone_numbers }: Device, typed: string): string | undefined {
  const part = typed.replace(/\D/g, '').replace(/^0+/, '').slice(-COMPARED)
  const meant = phone_numbers.find(
    ({ phone_number }) => part !== '' && phone_number.replace(/\D/g, '').includes(part),
  )
  return (meant ?? phone_numbers[0])?.phone_number
}
