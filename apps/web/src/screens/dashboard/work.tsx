import type { PayloadSummary } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Card, Group, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useMay } from '../../api/use-profile.ts'
import { Icon } from '../../ui/icon.tsx'
import { LinkButton } from '../../ui/links.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { useNow } from '../../ui/use-now.ts'
import { TimeCell, DirectionCell, PartiesCell } from '../payloads/payload-cells.tsx'
import { requestPlayback } from '../payloads/player/pending-playback.ts'
import { setReviewQueue } from '../payloads/review-queue.ts'
import { getDetail, getList, SERVICES } from '../payloads/services.ts'
import { NEWEST, NEWEST_SEARCH, newestCallsQuery, useHomeTotals } from './home-counts.ts'
import { newSince } from './new-since.ts'
import { Recordings } from './recordings.tsx'
import { Worklist } from './worklist.tsx'
import classes from './work.module.css'

/**
 * Upper cards: pending work, recordings by service, and the newest calls.
 * @param last_visit_at epoch seconds; null: first visit, undefined: not known yet
 */
export default function Work({ last_visit_at }: { last_visit_at: number | null | undefined }) {
  const now = useNow()
  const since = last_visit_at === undefined ? undefined : newSince(last_visit_at, now * 1000)
  const totals = useHomeTotals(since?.from)
  return (
    <>
      <Stack gap="lg" className={classes.column}>
        <Worklist totals={totals} />
        <Recordings totals={totals} since={since} />
      </Stack>
      {totals.seen.includes('calls') && <NewestCalls />}
    </>
  )
}

/** The newest calls, each with a play button. */
function NewestCalls() {
  const { i18n } = useLingui()
  const calls = useQuery(newestCallsQuery)
  return (
    <Card component="section" aria-labelledby="newest-title" padding="lg">
      <Group justify="space-between" mb="xs">
        <Title order={2} id="newest-title">
          <Trans>Newest calls</Trans>
        </Title>
        <Link {...getList('calls', NEWEST_SEARCH)} className={classes.all}>
          <Trans>Show all</Trans>
          <Icon name="chevron-right" size={14} />
        </Link>
      </Group>
      <QueryResult query={calls} rows={NEWEST}>
        {({ data }) =>
          data.length === 0 ? (
            <Text c="dimmed">{i18n._(SERVICES.calls.comes)}</Text>
          ) : (
            <ul className={classes.list}>
              {data.map((row) => (
                <NewestCall key={row.payload_reference} row={row} queue={data} />
              ))}
            </ul>
          )
        }
      </QueryResult>
    </Card>
  )
}

function NewestCall({ row, queue }: { row: PayloadSummary; queue: readonly PayloadSummary[] }) {
  const { t } = useLingui()
  const mayPlay = useMay()('payloads:play')
  const { payload_reference } = row
  const open = () =>
    setReviewQueue({
      references: queue.map((each) => each.payload_reference),
      hasMore: queue.length === NEWEST,
      total: undefined,
      service: 'calls',
      search: NEWEST_SEARCH,
      listUrl: `${location.pathname}${location.search}`,
    })
  return (
    <li className={classes.line}>
      <Link {...getDetail('calls', payload_reference)} className={classes.call} onClick={open}>
        <TimeCell row={row} />
        <DirectionCell row={row} />
        <PartiesCell row={row} />
      </Link>
      {mayPlay && (
        <LinkButton
          size="xs"
          variant="light"
          leftSection={<Icon name="play" size={14} />}
          {...getDetail('calls', payload_reference)}
          onClick={(event) => {
            open()
            // The play request exists in this tab only, so another tab would not play.
            if (!event.ctrlKey && !event.metaKey && !event.shiftKey) requestPlayback(payload_reference)
          }}
        >
          {t`Play`}
        </LinkButton>
      )}
    </li>
  )
}
