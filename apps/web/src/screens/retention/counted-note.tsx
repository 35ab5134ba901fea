import { COUNTED_RECORDS } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Text } from '@mantine/core'
import { msg } from '@lingui/core/macro'

/** Stages of retention: deletion (restorable), then destruction. */
export const ACTS = ['deleted', 'destroyed'] as const
export type Act = (typeof ACTS)[number]

export const ACT_WORDS = { deleted: msg`Deleted`, destroyed: msg`Permanently destroyed` } as const

/** Explains what the forecast does not count, and counts that stopped at a limit. */
export function CountedNote({ records }: { records: readonly { is_capped: boolean }[] }) {
  const { i18n } = useLingui()
  const most = i18n.number(COUNTED_RECORDS)
  return (
    <Text size="sm" c="dimmed">
      <Trans>
        Current count, months in UTC. Excludes records on hold, in use, or waiting for a receipt, transfer or
        sign-off.
      </Trans>
      {records.some(({ is_capped }) => is_capped) && (
        <>
          {' '}
          <Trans>Some record types show only the oldest {most}: more may exist.</Trans>
        </>
      )}
    </Text>
  )
}
