import { useLingui } from '@lingui/react/macro'
import { Select } from '@mantine/core'
import { useState } from 'react'
import { IN_PLACE } from '../../ui/form/in-place.ts'
import { visible } from '../../ui/visible.ts'
import { deviceUserPicker } from '../pickers.ts'

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
  const { options } = deviceUserPicker.useFound(typed)
  const people = options.map(({ value, label, detail }) => ({
    value,
    label: [...new Set([label, value]), detail]
      .filter((part) => part !== undefined)
      .map(visible)
      .join(' · '),
  }))
  const { value } = props
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
      filter={({ options: found }) => found}
      onSearchChange={setTyped}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': t`Clear` }}
      nothingFoundMessage={t`Nothing found`}
    />
  )
}
