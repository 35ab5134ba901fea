import { NumberInput, type NumberInputProps } from '@mantine/core'
import type { DaysText } from './draft.ts'

/**
 * Days, as they are typed. Mantine would make 0 of -1, which is at once where somebody meant never, 15 of 1.5, and the limit of what is beyond it:
 * the form says what is wrong instead, by the limit of the contract.
 */
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
