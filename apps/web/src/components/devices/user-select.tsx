import { useLingui } from '@lingui/react/macro'
import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { pageOf } from '../../api/all-pages.ts'
import { keyOf } from '../../api/call-keys.ts'
import { phonesApi } from '../../api/phones-api.ts'
import { useMay } from '../../api/use-profile.ts'
import { IN_PLACE } from '../../ui/form/in-place.ts'
import { visible } from '../../ui/visible.ts'
import { personName } from '../names.tsx'

/** People in the initial list; typing a name finds others. */
const OFFERED = 20
/** Debounce of typing, in milliseconds. */
const PAUSE_MS = 200

/** Select of one device user, by name or reference. */
export function UserSelect(props: {
  label: string
  description: string
  value: string | null
  onChange: (device_user_reference: string | null) => void
  /** Label of the empty choice. */
  none: string
}) {
  const { t } = useLingui()
  const [typed, setTyped] = useState('')
  const [search] = useDebouncedValue(typed.trim().slice(0, 255), PAUSE_MS)
  const { data, isPlaceholderData } = useQuery({
    queryKey: keyOf('listDeviceUsers', 'select', search),
    queryFn: ({ signal }) =>
      pageOf(phonesApi.listDeviceUsers({ query: { limit: OFFERED, ...(search && { search }) } }, { signal })),
    enabled: useMay()('users:list'),
    placeholderData: keepPreviousData,
  })
  const people = (data?.data ?? []).map((user) => ({
    value: user.device_user_reference,
    label: [...new Set([personName(user), user.device_user_reference]), user.group]
      .filter(Boolean)
      .map(visible)
      .join(' · '),
  }))
  const { value } = props
  // Never the first of several, or of the people before the last key.
  const only =
    search !== '' && search === typed.trim() && !isPlaceholderData && people.length === 1
      ? people[0]
      : undefined
  const isKnown = value === null || people.some((each) => each.value === value)
  return (
    <Select
      comboboxProps={IN_PLACE}
      label={props.label}
      description={props.description}
      placeholder={props.none}
      value={value}
      onChange={props.onChange}
      data={isKnown ? people : [{ value, label: value }, ...people]}
      // The server has searched already.
      filter={({ options }) => options}
      onSearchChange={setTyped}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || only === undefined || value === only.value) return
        event.preventDefault()
        props.onChange(only.value)
      }}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': t`Clear` }}
      nothingFoundMessage={t`Nothing found`}
    />
  )
}
