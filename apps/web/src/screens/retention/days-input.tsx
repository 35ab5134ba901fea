import { NumberInput, type NumberInputProps } from '@mantine/core'
import type { DaysText } from './draft.ts'

/** Days as typed. Mantine would silently change -1 to 0, 1.5 to 15, and values above the limit; the form reports a fault instead. */
export const DaysInput = ({
  onChange,
  ...props
}: Omit<NumberInputProps, 'onChange' | 'value'> & {
  value: DaysText
  onChange: (days: DaysText) => void
}) => (
  <NumberInput
    {...props}
    onChange={onChange}
    min={0}
    clampBehavior="none"
    allowedDecimalSeparators={[',', '.']}
  />
)
