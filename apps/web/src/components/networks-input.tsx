import { useLingui } from '@lingui/react/macro'
import { TagsInput } from '@mantine/core'
import { IN_PLACE } from '../ui/form/in-place.ts'
import { readOnlyLook } from '../ui/form/read-only.ts'

/** Input for CIDR ranges. */
export function NetworksInput(props: {
  label: string
  description?: string
  value: readonly string[]
  onChange: (ranges: string[]) => void
  error: string | undefined
  isReadOnly?: boolean
}) {
  const { t } = useLingui()
  const { value, onChange, isReadOnly = false, ...rest } = props
  return (
    <TagsInput
      comboboxProps={IN_PLACE}
      {...rest}
      {...readOnlyLook(isReadOnly)}
      placeholder={value.length > 0 ? undefined : isReadOnly ? t`From any network` : t`e.g. 10.0.0.0/8`}
      value={[...value]}
      onChange={onChange}
      splitChars={[',', ' ', ';']}
      maxTags={100}
      clearable={value.length > 1 && !isReadOnly}
      clearButtonProps={{ 'aria-label': t`Clear` }}
    />
  )
}
