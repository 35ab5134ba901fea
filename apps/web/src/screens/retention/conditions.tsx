import { useLingui } from '@lingui/react/macro'
import { SimpleGrid, TagsInput, TextInput } from '@mantine/core'
import { readOnlyLook } from '../../ui/form/read-only.ts'
import { DaysInput } from './days-input.tsx'
import type { Line } from './draft.ts'

/** Conditions of a type before deletion, and legal minimum periods. */
export function Conditions(props: {
  line: Line
  set: (change: Partial<Line>) => void
  errorAt: (name: keyof Line) => string | undefined
  isReadOnly: boolean
}) {
  const { line, set, errorAt, isReadOnly } = props
  const { t } = useLingui()
  const look = readOnlyLook(isReadOnly)
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm" p="sm">
      <DaysInput
        label={t`Legal minimum, in days from recording`}
        description={t`Policies cannot go below it. It can be raised but never lowered`}
        value={line.minimum_days}
        onChange={(minimum_days) => set({ minimum_days })}
        error={errorAt('minimum_days')}
        {...look}
      />
      <TextInput
        label={t`Legal basis`}
        description={t`Legal basis of the rule`}
        value={line.legal_basis}
        onChange={({ currentTarget: { value } }) => set({ legal_basis: value })}
        maxLength={200}
        error={errorAt('legal_basis')}
        {...look}
      />
      <TagsInput
        label={t`Required receipts`}
        description={t`Client apps that must confirm it`}
        value={line.required_receipts}
        onChange={(required_receipts) => set({ required_receipts })}
        error={errorAt('required_receipts')}
        {...look}
      />
      <TagsInput
        label={t`Required transfers`}
        description={t`Transfers that must deliver it. It stays while none of this name exists`}
        value={line.required_transfers}
        onChange={(required_transfers) => set({ required_transfers })}
        error={errorAt('required_transfers')}
        {...look}
      />
    </SimpleGrid>
  )
}
