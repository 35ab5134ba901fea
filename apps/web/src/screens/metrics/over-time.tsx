/* oxlint-disable jsx-a11y/prefer-tag-over-role -- a drawing of elements is no img */
import { type MetricScope, PAYLOAD_TYPES, type PayloadMetric, type PayloadType } from '@custodia/contract'
import { useLingui } from '@lingui/react/macro'
import { Box, Paper, Skeleton, Text, Title } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { ChartWithTable } from '../../components/charts/pictured.tsx'
import { rowsQuery } from '../../components/lists/rows-query.ts'
import { PAYLOAD_TYPE_WORDS } from '../../components/words/payload-words.ts'
import { metricList, nextPeriod, periodOfId, periodText } from './metric-lists.tsx'
import classes from './series.module.css'

type PeriodScope = Exclude<MetricScope, 'Summary'>

/** Periods that are shown, and as many before that they are compared with; days in whole weeks. */
const SHOWN: Record<PeriodScope, number> = { Daily: 28, Weekly: 26, Monthly: 12, Yearly: 5 }

/** Counts of a type over time. */
interface TypeSeries {
  payload_type: PayloadType
  total: number
  /** One per period, zeros included, oldest first. */
  counts: number[]
}

/** Counts of the newest periods. */
interface Counts {
  starts: number[]
  /** Of all types. */
  totals: number[]
  /** As many periods before; null: not loaded or not recorded. */
  before: (number | null)[]
  series: TypeSeries[]
}

/**
 * Counts of the newest periods and of those before; missing rows are zero.
 * @param rows newest first
 */
function getCounts(scope: PeriodScope, rows: readonly PayloadMetric[]): Counts {
  const byStart = new Map(rows.map((row) => [periodOfId(row.id), row]))
  const [newest = 0, oldest = newest] = [rows[0], rows.at(-1)].map((row) =>
    row ? periodOfId(row.id) : undefined,
  )
  const all: number[] = []
  if (rows.length > 0) for (let at = oldest; at <= newest; at = nextPeriod(scope, at)) all.push(at)
  const starts = all.slice(-SHOWN[scope])
  const earlier = all.slice(0, -SHOWN[scope]).slice(-starts.length)
  const getTotal = (start: number) => byStart.get(start)?.count ?? 0
  const series = PAYLOAD_TYPES.map((payload_type) => {
    const counts = starts.map((start) => byStart.get(start)?.counts[payload_type] ?? 0)
    return { payload_type, counts, total: getSum(counts) }
  })
  return {
    starts,
    totals: starts.map(getTotal),
    before: [...starts.slice(earlier.length).map(() => null), ...earlier.map(getTotal)],
    series: series.filter(({ total }) => total > 0),
  }
}

const getSum = (counts: readonly (number | null)[]): number =>
  counts.reduce<number>((sum, count) => sum + (count ?? 0), 0)

/** All types over time compared with the periods before, and a small chart per type, from the loaded rows. */
export default function MetricTrend({ scope }: { scope: PeriodScope }) {
  const { t } = useLingui()
  const list = metricList(scope, 'periods')
  const search = list.parse(useSearch({ strict: false }))
  const { data } = useInfiniteQuery({
    ...rowsQuery(list, { ...search, sort: undefined }),
    meta: { silent: true },
  })
  const found = useMemo(() => data && getCounts(scope, data.pages[0]?.data ?? []), [scope, data])
  if (found === undefined) return <Skeleton className={classes.pending} />
  if (found.series.length === 0) return null
  return (
    <Box className={classes.both}>
      <Total {...found} />
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a scrolling region must be reachable by keyboard */}
      <section className={classes.series} aria-label={t`Over time`} tabIndex={0}>
        {found.series.map((each) => (
          <Bars key={each.payload_type} scope={scope} starts={found.starts} {...each} />
        ))}
      </section>
    </Box>
  )
}

function Total({ starts, totals, before }: Counts) {
  const { t, i18n } = useLingui()
  const isCompared = before.every((count) => count !== null)
  const [sum, former] = [getSum(totals), getSum(before)]
  const [shown, earlier] = [i18n.number(sum), i18n.number(former)]
  const change = i18n.number(former === 0 ? 0 : sum / former - 1, {
    style: 'percent',
    maximumFractionDigits: 0,
    signDisplay: 'exceptZero',
  })
  const series = useMemo(
    () => [
      { label: t`All types`, color: 'blue', values: totals },
      ...(isCompared
        ? [{ label: t`As many periods before`, color: 'gray', values: before, isDashed: true }]
        : []),
    ],
    [totals, before, isCompared, t],
  )
  return (
    <Paper p="sm" className={classes.total}>
      <Title order={2} size="h5">
        {isCompared
          ? t`${shown} recordings, ${earlier} in as many periods before (${change})`
          : t`${shown} recordings`}
      </Title>
      <ChartWithTable times={starts} series={series} none="">
        {null}
      </ChartWithTable>
    </Paper>
  )
}

/** Maximum bar width as a share of the chart. */
const FEWEST_BARS = 10

function Bars(props: TypeSeries & { scope: PeriodScope; starts: readonly number[] }) {
  const { scope, starts, counts, total, payload_type } = props
  const { t, i18n } = useLingui()
  const most = Math.max(...counts)
  const place = counts.indexOf(most)
  const getName = (index: number) => periodText(scope, starts[index] ?? 0, i18n.locale)
  const type = i18n._(PAYLOAD_TYPE_WORDS[payload_type])
  const sum = i18n.number(total)
  const [first, last, peak, peakOn] = [
    getName(0),
    getName(starts.length - 1),
    i18n.number(most),
    getName(place),
  ]
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
            <title>{`${getName(index)}: ${i18n.number(count)}`}</title>
          </rect>
        ))}
      </svg>
    </figure>
  )
}
