import { useLingui } from '@lingui/react/macro'
import { TagsInput } from '@mantine/core'
import { IN_PLACE } from '../../ui/form/in-place.ts'

/** CIDR ranges, one after another. */
export function NetworksInput(props: {
  label: string
  description?: string
  value: readonly string[]
  onChange: (ranges: string[]) => void
  error: string | undefined
  disabled?: boolean
}) {
  const { t } = useLingui()
  const { value, onChange, ...rest } = props
  return (
    <TagsInput
      comboboxProps={IN_PLACE}
      {...rest}
      placeholder={value.length === 0 ? '10.0.0.0/8' : undefined}
      value={[...value]}
      onChange={onChange}
      splitChars={[',', ' ', ';']}
      maxTags={100}
      clearable={value.length > 1 && !props.disabled}
      clearButtonProps={{ 'aria-label': t`Clear` }}
    />
  )
}
