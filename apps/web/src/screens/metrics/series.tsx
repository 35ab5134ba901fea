/* oxlint-disable jsx-a11y/prefer-tag-over-role -- a drawing of elements is no img */
import type { MetricScope } from '@custodia/contract'
import { useLingui } from '@lingui/react/macro'
import { Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { rowsQuery } from '../../components/lists/rows-query.ts'
import { PAYLOAD_TYPE_WORDS } from '../../components/words/payload-words.ts'
import { metricList } from './metric-lists.tsx'
import { periodText } from './period.ts'
import { seriesOf, type TypeSeries } from './series-rows.ts'
import classes from './series.module.css'

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
