import type { Fault, ProblemCode } from '@custodia/contract'
import type { I18n } from '@lingui/core'
import { useLingui } from '@lingui/react/macro'
import { faultText } from '../../api/failure-text.ts'
import { loadProblems } from '../../api/problem-phrases.ts'
import { DataTable } from '../../ui/data-table.tsx'
import { visible } from '../../ui/visible.ts'

// The calls answer refused rows one by one.
void loadProblems()

/** A refused row of an import or a change of several device users. */
export interface Refusal {
  /** A line of the file, or a person. */
  name: string
  problem?: ProblemCode | undefined
  faults: readonly Fault[]
}

/** Most names shown for a reason. */
const NAMED = 10

/** Refused rows, one line for each reason; the most frequent reason first. */
export function Refusals({
  caption,
  who,
  refusals,
}: {
  caption: string
  who: string
  refusals: readonly Refusal[]
}) {
  const { t, i18n } = useLingui()
  const groups = Map.groupBy(refusals, (each) => getReason(each, i18n))
  const rows = [...groups]
    .map(([reason, of]) => ({ reason, of }))
    .toSorted((a, b) => b.of.length - a.of.length)
  return (
    <DataTable
      caption={caption}
      rows={rows}
      getKey={({ reason }) => reason}
      columns={[
        { label: t`Reason`, cell: ({ reason }) => visible(reason) },
        { label: t`Count`, cell: ({ of }) => i18n.number(of.length) },
        {
          label: who,
          cell: ({ of }) =>
            visible(
              of
                .slice(0, NAMED)
                .map(({ name }) => name)
                .join(', ') + (of.length > NAMED ? ' …' : ''),
            ),
        },
      ]}
    />
  )
}

/** Why a row was refused, in the reader's language. */
export const getReason = ({ problem, faults }: Omit<Refusal, 'name'>, i18n: I18n): string =>
  problem
    ? faultText({ code: problem, path: '', message: problem }, i18n)
    : faults.map((each) => `${each.path}: ${faultText(each, i18n)}`).join(' ')
