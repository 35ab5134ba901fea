import type { PortalActivity } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Skeleton, Text } from '@mantine/core'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { api } from '../../api/api.ts'
import { keyOf } from '../../api/call-keys.ts'
import { pageOf } from '../../api/all-pages.ts'
import { toDateParameter } from '../../components/lists/date-range.ts'
import { Time } from '../../ui/time.tsx'
import { OutcomeCell } from './activity-cells.tsx'
import classes from './audit.module.css'
import { entriesOfPlay } from './entries-of-play.ts'

/** Maximum duration of a playback's entries, in seconds. */
const LOOKED_FOR = 86_400
const MOST = 200

/** All log entries of a playback, in order. */
export const playQuery = (row: PortalActivity) =>
  queryOptions({
    queryKey: keyOf('listActivities', 'play', row.log_id),
    queryFn: async ({ signal }) => {
      const query = {
        users: [row.user_id],
        actions: [row.action],
        payload_reference: row.recording?.payload_reference,
        ip: row.user_ip,
        from: toDateParameter(row.activity_time),
        to: toDateParameter(row.activity_time + LOOKED_FOR),
        limit: MOST,
      }
      const [entries, plays] = await Promise.all([
        pageOf(api.listActivities({ query }, { signal })),
        pageOf(api.listActivities({ query: { ...query, is_folded: true } }, { signal })),
      ])
      return entriesOfPlay(row.log_id, entries.data, plays.data)
    },
    // Past entries do not change, and each read is logged.
    staleTime: Number.POSITIVE_INFINITY,
  })

/** Full record of a playback row. */
export function PlayRecord({ row }: { row: PortalActivity }) {
  const { t } = useLingui()
  const { data, isPending } = useQuery(playQuery(row))
  if (isPending) return <Skeleton h={60} aria-busy />
  if (data === undefined) return <Trans>More details could not be loaded.</Trans>
  return (
    <section>
      <Text component="h3" size="xs" fw={650} c="dimmed" mb={4}>
        <Trans>Entries of this playback</Trans>
      </Text>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a scrolling region must be reachable by keyboard */}
      <ol className={classes.entries} tabIndex={0} aria-label={t`Entries of this playback`}>
        {data.map((entry) => (
          <li key={entry.log_id}>
            <Time at={entry.activity_time} style="second" />
            {' · '}
            {entry.was_handed_out === null ? (
              <OutcomeCell row={entry} />
            ) : entry.was_handed_out ? (
              <Trans>data accessed</Trans>
            ) : (
              <Trans>link issued</Trans>
            )}
            {' · '}
            <code title={entry.log_id}>…{entry.log_id.slice(-8)}</code>
          </li>
        ))}
      </ol>
    </section>
  )
}
