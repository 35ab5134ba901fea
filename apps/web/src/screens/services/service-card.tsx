import type { PayloadSummary, Total } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Card, Group, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { pageOf } from '../../api/all-pages.ts'
import { api } from '../../api/api.ts'
import { keyOf } from '../../api/call-keys.ts'
import { Icon } from '../../ui/icon.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { StateBadge } from '../payloads/payload-badges.tsx'
import { PAYLOAD_STATE_WORDS } from '../../components/words/payload-words.ts'
import { totalText } from '../../ui/text.ts'
import type { ListSearch } from '../../components/lists/list-search.ts'
import { DirectionCell, PartiesCell, TimeCell } from '../payloads/payload-cells.tsx'
import { setReviewQueue } from '../payloads/review-queue.ts'
import { detailOf, listOf, type ScreenService, SERVICES } from '../payloads/services.ts'
import { WEEK } from '../../components/lists/date-range.ts'
import classes from './service-card.module.css'

/** States that need attention. */
type Worry = 'Failed' | 'Quarantined'

/** Lists that a service's card counts and links to. */
export const CARD_LISTS: readonly { from?: string; states?: Worry[] }[] = [
  {},
  { from: WEEK },
  { states: ['Failed'] },
  { states: ['Quarantined'] },
]

/** Rows under 'Newest'. */
const NEWEST = 5
const REFRESH_MS = 60_000

/** Services with newest items: the most frequent ones. Each list is a call, and a page sends at most 20. */
const WITH_NEWEST: ReadonlySet<ScreenService> = new Set(['calls', 'messages'])

/** One service: totals linked to the list, items that need attention, and the newest items. */
export function ServiceCard({
  service,
  totals,
}: {
  service: ScreenService
  /** In the order of `CARD_LISTS`; undefined while loading. */
  totals: readonly Total[] | undefined
}) {
  const { t, i18n } = useLingui()
  const { icon } = SERVICES[service]
  const title = i18n._(SERVICES[service].title)
  return (
    <Card component="section" aria-label={title} padding="lg" className={classes.card}>
      <Group justify="space-between" mb="md">
        <Group gap="xs">
          <Icon name={icon} />
          <Title order={2}>{title}</Title>
        </Group>
        <Link {...listOf(service, {})} className={classes.all}>
          <Trans>Show all</Trans>
          <Icon name="chevron-right" size={14} />
        </Link>
      </Group>
      <div className={classes.counts}>
        {CARD_LISTS.map((search, i) => {
          const [state] = search.states ?? []
          const label = state ? i18n._(PAYLOAD_STATE_WORDS[state]) : search.from ? t`Last 7 days` : t`Total`
          return (
            <Count
              key={label}
              service={service}
              search={search}
              total={totals?.[i]}
              label={label}
              state={state}
            />
          )
        })}
      </div>
      {WITH_NEWEST.has(service) && <NewestOf service={service} />}
    </Card>
  )
}

function NewestOf({ service }: { service: ScreenService }) {
  const { i18n } = useLingui()
  const newest = useQuery({
    queryKey: keyOf('listPayloads', 'newest', service),
    queryFn: ({ signal }) => pageOf(api.listPayloads({ query: { service, limit: NEWEST } }, { signal })),
    refetchInterval: REFRESH_MS,
    meta: { isWatch: true },
  })
  return (
    <Loaded query={newest} height={NEWEST * 38}>
      {({ data }) =>
        data.length === 0 ? (
          <Text c="dimmed">{i18n._(SERVICES[service].comes)}</Text>
        ) : (
          <Newest rows={data} service={service} />
        )
      }
    </Loaded>
  )
}

/** Number of matching payloads, as a link. */
function Count(props: {
  service: ScreenService
  search: ListSearch
  total: Total | undefined
  label: ReactNode
  state: Worry | undefined
}) {
  const { i18n } = useLingui()
  const { service, search, state, total } = props
  return (
    <Link
      {...listOf(service, search)}
      className={classes.count}
      data-worry={state !== undefined && total?.total ? true : undefined}
    >
      <span className={classes.number}>
        {total === undefined ? '–' : totalText(total, (count) => i18n.number(count))}
        {state !== undefined && <Icon name={state === 'Failed' ? 'warning' : 'shield-alert'} size={15} />}
      </span>
      <span className={classes.label}>{props.label}</span>
    </Link>
  )
}

function Newest({ rows, service }: { rows: readonly PayloadSummary[]; service: ScreenService }) {
  const handOver = () =>
    setReviewQueue({
      references: rows.map((row) => row.payload_reference),
      hasMore: rows.length === NEWEST,
      total: undefined,
      service,
      search: {},
      listUrl: `${location.pathname}${location.search}`,
    })
  return (
    <>
      <Title order={3} mt="md" mb={4}>
        <Trans>Newest</Trans>
      </Title>
      <ul className={classes.newest}>
        {rows.map((row) => (
          <li key={row.payload_reference}>
            <Link {...detailOf(service, row.payload_reference)} className={classes.item} onClick={handOver}>
              <span className={classes.time}>
                <TimeCell row={row} />
              </span>
              <span className={classes.direction}>
                <DirectionCell row={row} />
              </span>
              <span className={classes.parties}>
                <PartiesCell row={row} />
              </span>
              <StateBadge state={row.payload_state} />
            </Link>
          </li>
        ))}
      </ul>
    </>
  )
}
