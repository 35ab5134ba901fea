import { msg } from '@lingui/core/macro'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { api } from '../api/api.ts'
import { getKey } from '../api/call-keys.ts'
import { useProfile } from '../api/use-profile.ts'
import type { FilterOption } from './lists/list-definition.ts'
import { devicePicker, deviceUserPicker } from './pickers.ts'

/** Groups of the choice before a name is typed; a larger account finds others by their names. */
const GROUP_ROWS = 200

const namesQuery = (search: string) =>
  queryOptions({
    queryKey: getKey('listGroups', 'names', search),
    queryFn: async ({ signal }) => {
      const query = { limit: GROUP_ROWS, ...(search !== '' && { search }) }
      const { data, last_key } = await api.listGroups({ query }, { signal })
      return { names: data.map((group) => group.group_reference), isCut: last_key !== undefined }
    },
    staleTime: 5 * 60_000,
  })

/** Visible groups. Without the right to list groups, those of the profile. */
function useGroupOptions(typed = ''): readonly FilterOption[] {
  const { groups, actions } = useProfile()
  const first = useQuery({ ...namesQuery(''), enabled: actions.includes('groups:list') }).data
  const search = typed.trim().slice(0, 255)
  const found = useQuery({ ...namesQuery(search), enabled: first?.isCut === true && search !== '' }).data
  return [...new Set([...(first?.names ?? groups ?? []), ...(found?.names ?? [])])]
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
