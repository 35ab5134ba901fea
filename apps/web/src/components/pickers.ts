import type { CallOptions } from '@custodia/client'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type CallName, getKey } from '../api/call-keys.ts'
import { useMay } from '../api/use-profile.ts'
import type { FilterOption, Picker } from './lists/list-definition.ts'
import { personName } from './names.tsx'

/** Records of a search. */
const OFFERED = 20
/** Debounce of typing, in milliseconds. */
const PAUSE_MS = 200

interface Finder {
  call: CallName
  /** Permission of the call; without it a typed text counts as the reference. */
  action: string
  find: (query: { search?: string; limit: number }, options: CallOptions) => Promise<FilterOption[]>
}

/** A picker over a list call. Its code and schemas load with the first search. */
export const getPicker = ({ call, action, find }: Finder): Picker => ({
  useFound(typed) {
    const wanted = typed.trim().slice(0, 255)
    const [search] = useDebouncedValue(wanted, PAUSE_MS)
    const isEnabled = useMay()(action)
    const { data, isFetching } = useQuery({
      queryKey: getKey(call, 'pick', search),
      queryFn: ({ signal }) => find({ limit: OFFERED, ...(search !== '' && { search }) }, { signal }),
      enabled: isEnabled,
      placeholderData: keepPreviousData,
    })
    return { options: data ?? [], isPending: isEnabled && (isFetching || search !== wanted) }
  },
  useName(value) {
    const { data } = useQuery({
      queryKey: getKey(call, 'picked', value),
      queryFn: async ({ signal }) => {
        const found = await find({ limit: OFFERED, search: value }, { signal })
        return found.find((option) => option.value === value)?.label ?? value
      },
      enabled: useMay()(action),
      staleTime: Number.POSITIVE_INFINITY,
      meta: { silent: true },
    })
    return data ?? value
  },
})

/** Name, and what tells it from equal ones. */
const getOption = (value: string, name: string, detail: string | null): FilterOption => ({
  value,
  label: name || value,
  title: value,
  ...(detail && { detail }),
})

export const deviceUserPicker = getPicker({
  call: 'listDeviceUsers',
  action: 'users:list',
  find: async (query, options) => {
    const { devicesApi } = await import('../api/devices-api.ts')
    const { data } = await devicesApi.listDeviceUsers({ query }, options)
    return data.map((user) => getOption(user.device_user_reference, personName(user), user.group))
  },
})

/** Devices, by their holder and model. */
export const devicePicker = getPicker({
  call: 'listDevices',
  action: 'devices:list',
  find: async (query, options) => {
    const { devicesApi } = await import('../api/devices-api.ts')
    const { data } = await devicesApi.listDevices({ query }, options)
    return data.map(({ device_reference, device_user_reference, model, ...holder }) => {
      const name = [personName(holder) || device_user_reference, model].filter(Boolean).join(' · ')
      return getOption(device_reference, name, name === '' ? null : `…${device_reference.slice(-6)}`)
    })
  },
})

/** Portal users. */
export const personPicker = getPicker({
  call: 'listPeople',
  action: 'people:list',
  find: async (query, options) => {
    const { peopleApi } = await import('../api/access-api.ts')
    const { data } = await peopleApi.listPeople({ query }, options)
    return data.map(({ user_reference, display_name }) =>
      getOption(user_reference, display_name ?? '', display_name === null ? null : user_reference),
    )
  },
})
