import { msg } from '@lingui/core/macro'
import { useQuery } from '@tanstack/react-query'
import { pageOf } from '../api/all-pages.ts'
import { api } from '../api/api.ts'
import { keyOf } from '../api/call-keys.ts'
import { useProfile } from '../api/use-profile.ts'
import type { FilterOption } from './lists/list-definition.ts'
import { devicePicker, deviceUserPicker } from './pickers.ts'

/** Groups per page of the choice; larger accounts type others into the address. */
const GROUP_ROWS = 200

/** Visible groups. Without the right to list groups, those of the profile. */
function useGroupOptions(): readonly FilterOption[] {
  const { groups, actions } = useProfile()
  const { data } = useQuery({
    queryKey: keyOf('listGroups', 'names'),
    queryFn: async ({ signal }) => {
      const { data } = await pageOf(api.listGroups({ query: { limit: GROUP_ROWS } }, { signal }))
      return data.map((group) => group.group_reference)
    },
    enabled: actions.includes('groups:list'),
    staleTime: 5 * 60_000,
  })
  return (data ?? groups ?? [])
    .toSorted((a, b) => a.localeCompare(b))
    .map((name) => ({ value: name, label: name }))
}

/** Groups of a list's rows. */
export const GROUP_FILTER = {
  kind: 'choice',
  name: 'groups',
  label: msg`Group`,
  useOptions: useGroupOptions,
} as const

/** The device of a list's rows. */
export const DEVICE_FILTER = {
  kind: 'pick',
  name: 'device_reference',
  isSingle: true,
  label: msg`Device`,
  picker: devicePicker,
} as const

/** The device user of a list's rows. */
export const DEVICE_USER_FILTER = {
  kind: 'pick',
  name: 'device_user_reference',
  isSingle: true,
  label: msg`Device user`,
  picker: deviceUserPicker,
} as const
