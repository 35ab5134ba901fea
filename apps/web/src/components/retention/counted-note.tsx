import { COUNTED_RECORDS } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Text } from '@mantine/core'

/** Explains what the forecast does not count, and counts that stopped at a limit. */
export function CountedNote({ records }: { records: readonly { is_capped: boolean }[] }) {
  const { i18n } = useLingui()
  const most = i18n.number(COUNTED_RECORDS)
  return (
    <Text size="sm" c="dimmed">
      <Trans>
        Counted now; months are in UTC. What a legal hold keeps, what waits for a receipt, a transfer or a
        person, and what is still in use or under way is not counted.
      </Trans>
      {records.some(({ is_capped }) => is_capped) && (
        <>
          {' '}
          <Trans>Of some records only the oldest {most} were looked at: there may be more.</Trans>
        </>
      )}
    </Text>
  )
}
