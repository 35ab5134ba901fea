import { useLingui } from '@lingui/react/macro'
import { Select } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
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
  /** The dialog opens with the focus in it. */
  isFirst?: boolean
}) {
  const { t } = useLingui()
  const [typed, setTyped] = useState('')
  const { options, isPending } = deviceUserPicker.useFound(typed)
  const people = options.map(({ value, label, detail }) => ({
    value,
    label: [...new Set([label, value]), detail]
      .filter((part) => part !== undefined)
      .map(visible)
      .join(' · '),
  }))
  const { value } = props
  // Never the first of several, or of the people before the last key.
  const only = typed.trim() !== '' && !isPending && people.length === 1 ? people[0] : undefined
  // An Enter before the answer counts once it is there.
  const isAwaited = useRef(false)
  useEffect(() => {
    if (!isAwaited.current || isPending) return
    isAwaited.current = false
    if (only !== undefined) props.onChange(only.value)
  }, [isPending, only, props])
  const isKnown = value === null || people.some((each) => each.value === value)
  return (
    <Select
      label={props.label}
      description={props.description}
      placeholder={props.none}
      value={value}
      onChange={props.onChange}
      data={isKnown ? people : [{ value, label: value }, ...people]}
      // The server has searched already.
      filter={({ options: found }) => found}
      onSearchChange={setTyped}
      onKeyDown={(event) => {
        const isEnter = event.key === 'Enter' && typed.trim() !== ''
        if (!isEnter || (!isPending && (only === undefined || value === only.value))) return
        event.preventDefault()
        if (only === undefined) isAwaited.current = true
        else props.onChange(only.value)
      }}
      {...(props.isFirst && { 'data-autofocus': true })}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': t`Clear` }}
      nothingFoundMessage={t`Nothing found`}
    />
  )
}
