/* oxlint-disable jsx-a11y/prefer-tag-over-role -- a drawing of elements is no img */
import {
  METRIC_SCOPE_DEFAULT,
  METRIC_SCOPES,
  type MetricScope,
  PAYLOAD_TYPES,
  type PayloadMetric,
  type PayloadType,
} from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { Group, Input, Text } from '@mantine/core'
import { getRouteApi, useNavigate, useSearch } from '@tanstack/react-router'
import { useId } from 'react'
import { ListPage } from '../../components/lists/list-page.tsx'
import { Icon } from '../../ui/icon.tsx'
import { PageHeader, PageTabs } from '../../ui/page-header.tsx'
import {
  BY,
  type By,
  BY_WORDS,
  metricList,
  SCOPE_WORDS,
  nextPeriod,
  periodOfId,
  periodText,
} from './metric-lists.tsx'
import { useInfiniteQuery } from '@tanstack/react-query'
import { rowsQuery } from '../../components/lists/rows-query.ts'
import { PAYLOAD_TYPE_WORDS } from '../../components/words/payload-words.ts'
import classes from './series.module.css'

const route = getRouteApi('/dashboard/devices/metrics')
const to = '/dashboard/devices/metrics' as const

/** The default period is "all time". */
const TABS = METRIC_SCOPES.toSorted(
  (a, b) => Number(b === METRIC_SCOPE_DEFAULT) - Number(a === METRIC_SCOPE_DEFAULT),
)

/** `/dashboard/devices/metrics`: uploads per period (`?scope=`), grouped or individual (`?by=`). */
export function Metrics() {
  const search = route.useSearch()
  const scope = METRIC_SCOPES.find((each) => each === search.scope) ?? METRIC_SCOPE_DEFAULT
  const by = BY.find((each) => each === search.by) ?? usualOf(scope)
  const tabs = TABS.map((each) => ({
    to,
    search: each === METRIC_SCOPE_DEFAULT ? {} : { scope: each },
    label: SCOPE_WORDS[each],
    isShown: each === scope,
  }))
  return (
    <PageTabs label={msg`Metrics`} tabs={tabs}>
      {by === 'each' ? (
        <ListPage key={scope} list={metricList(scope, by)} head={<Head scope={scope} by={by} />} />
      ) : (
        <ListPage key={`${scope} ${by}`} list={metricList(scope, by)} head={<Head scope={scope} by={by} />} />
      )}
    </PageTabs>
  )
}

/** Default grouping: over time for periods, by person for all time. */
const usualOf = (scope: MetricScope): By => (scope === 'Summary' ? 'each' : 'periods')

function Head({ scope, by }: { scope: MetricScope; by: By }) {
  const { t, i18n } = useLingui()
  const navigate = useNavigate()
  const id = useId()
  const search = route.useSearch()
  return (
    <>
      <PageHeader
        title={t`Metrics`}
        description={t`Uploads by phones, per UTC day.`}
        actions={
          <Group gap="xs">
            <Text size="sm" c="dimmed" component="label" htmlFor={id}>
              <Trans>Counted by</Trans>
            </Text>
            <Input
              id={id}
              component="select"
              pointer
              rightSection={<Icon name="chevron-down" size={14} />}
              rightSectionPointerEvents="none"
              value={by}
              onChange={(event) =>
                void navigate({
                  to,
                  search: { ...search, scope, by: event.currentTarget.value as By },
                })
              }
            >
              {BY.map((each) => (
                <option key={each} value={each}>
                  {i18n._(BY_WORDS[each])}
                </option>
              ))}
            </Input>
          </Group>
        }
      />
      {by === 'periods' && scope !== 'Summary' && <Series scope={scope} />}
    </>
  )
}

/** Maximum bars that remain distinct on a phone. */
const MOST_BARS = 31

/** Counts of a type over time. */
interface TypeSeries {
  payload_type: PayloadType
  total: number
  /** One per period, zeros included, oldest first. */
  counts: number[]
}

/**
 * Series of all types with counts over the newest loaded periods; missing rows are zero.
 * @param rows newest first
 */
function seriesOf(
  scope: Exclude<MetricScope, 'Summary'>,
  rows: readonly PayloadMetric[],
): { starts: number[]; series: TypeSeries[] } {
  const counts = new Map(rows.map((row) => [periodOfId(row.id), row.counts]))
  const [newest = 0, oldest = newest] = [rows[0], rows.at(-1)].map((row) =>
    row ? periodOfId(row.id) : undefined,
  )
  const all: number[] = []
  if (rows.length > 0) for (let at = oldest; at <= newest; at = nextPeriod(scope, at)) all.push(at)
  const starts = all.slice(-MOST_BARS)
  const series = PAYLOAD_TYPES.map((payload_type) => {
    const each = starts.map((start) => counts.get(start)?.[payload_type] ?? 0)
    return { payload_type, counts: each, total: each.reduce((sum, n) => sum + n, 0) }
  })
  return { starts, series: series.filter(({ total }) => total > 0) }
}

/** A small chart per type, from the loaded rows. */
export function Series({ scope }: { scope: Exclude<MetricScope, 'Summary'> }) {
  const { t } = useLingui()
  const list = metricList(scope, 'periods')
  const search = list.parse(useSearch({ strict: false }))
  const { data } = useInfiniteQuery({ ...rowsQuery(list, search), meta: { silent: true } })
  const { starts, series } = seriesOf(scope, data?.pages.flatMap((page) => page.data) ?? [])
  if (series.length === 0) return null
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a scrolling region must be reachable by keyboard
    <section className={classes.series} aria-label={t`Over time`} tabIndex={0}>
      {series.map((each) => (
        <Bars key={each.payload_type} scope={scope} starts={starts} {...each} />
      ))}
    </section>
  )
}

/** Maximum bar width as a share of the chart. */
const FEWEST_BARS = 10

function Bars(props: TypeSeries & { scope: Exclude<MetricScope, 'Summary'>; starts: readonly number[] }) {
  const { scope, starts, counts, total, payload_type } = props
  const { t, i18n } = useLingui()
  const most = Math.max(...counts)
  const place = counts.indexOf(most)
  const nameOf = (index: number) => periodText(scope, starts[index] ?? 0, i18n.locale)
  const type = i18n._(PAYLOAD_TYPE_WORDS[payload_type])
  const sum = i18n.number(total)
  const [first, last, peak, peakOn] = [nameOf(0), nameOf(starts.length - 1), i18n.number(most), nameOf(place)]
  return (
    <figure className={classes.figure}>
      <figcaption>
        <Text size="sm" component="span">
          {type}
        </Text>
        <Text size="sm" fw={600} component="span" className="tabular">
          {sum}
        </Text>
      </figcaption>
      <svg
        role="img"
        aria-label={t`${type}: ${sum} from ${first} to ${last}, maximum ${peak} in ${peakOn}`}
        viewBox={`0 0 ${Math.max(FEWEST_BARS, counts.length)} 1`}
        preserveAspectRatio="none"
        className={classes.bars}
      >
        {counts.map((count, index) => (
          <rect key={starts[index]} x={index + 0.1} width={0.8} y={1 - count / most} height={count / most}>
            <title>{`${nameOf(index)}: ${i18n.number(count)}`}</title>
          </rect>
        ))}
      </svg>
    </figure>
  )
}
