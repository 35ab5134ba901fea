import type { I18n } from '@lingui/core'
import { useLingui } from '@lingui/react/macro'
import { useComputedColorScheme } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { useEffect, useRef } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { formatTick } from '../../ui/axis-ticks.ts'
import classes from './time-chart.module.css'

/** Numbers over time in one colour. */
export interface Series {
  label: string
  /** Name of a colour of the theme. */
  color: string
  /** One per time; null: unknown, which leaves a gap. */
  values: readonly (number | null)[]
  /** Dashed, for the period that the others are compared with. */
  isDashed?: boolean
}

/** How a chart names times and numbers. */
export interface Scales {
  /** Times are days (UTC), or moments in the reader's zone. */
  times: 'days' | 'moments'
  /** Text of a number; absent: as a count. */
  format?: (value: number) => string
  /** Top of the chart; absent: a little above the highest number. */
  most?: number
  /** Steps between numbers; absent: of counts. */
  steps?: number[]
}

/** Pixels of a chart. */
const CHART_HEIGHT = 160
const FONT = '12px Inter Variable, sans-serif'
const DAY = 86_400
const COUNTS = [1, 2, 5, 10, 20, 50, 100, 200, 500].flatMap((step) => [step, step * 1000, step * 1e6])

/** Lines over time with axes. Screen readers read the table that stands next to it. */
export default function TimeChart({
  times,
  series,
  scales = DAYS,
}: {
  /** Epoch seconds. */
  times: readonly number[]
  series: readonly Series[]
  scales?: Scales
}) {
  const { i18n } = useLingui()
  const scheme = useComputedColorScheme('light')
  const { ref, width } = useElementSize()
  const target = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (target.current === null || width === 0) return
    const style = getComputedStyle(target.current)
    const getColor = (color: string) =>
      style.getPropertyValue(`--mantine-color-${color}-${scheme === 'dark' ? 4 : 7}`)
    const chart = new uPlot(
      {
        width,
        height: CHART_HEIGHT,
        // Half of the last label of an axis.
        padding: [null, 32, null, null],
        ...getAxes(scales, style, i18n),
        cursor: { show: false },
        legend: { show: false },
        series: [
          {},
          ...series.map(({ label, color, isDashed }) => ({
            label,
            stroke: getColor(color),
            width: 2,
            ...(isDashed && { dash: [4, 4] }),
            ...(scales.times === 'days' && { points: { show: false } }),
          })),
        ],
      },
      [[...times], ...series.map(({ values }) => [...values])],
      target.current,
    )
    return () => chart.destroy()
  }, [times, series, scales, width, scheme, i18n])
  return (
    <div ref={ref} aria-hidden>
      <div ref={target} className={classes.chart} />
    </div>
  )
}

const DAYS: Scales = { times: 'days' }

function getAxes(
  { times, format, most, steps = COUNTS.toSorted((a, b) => a - b) }: Scales,
  style: CSSStyleDeclaration,
  i18n: I18n,
) {
  const axis = {
    stroke: style.color,
    font: FONT,
    grid: { stroke: style.borderTopColor, width: 1 },
    ticks: { show: false },
  }
  const isDays = times === 'days'
  // Uplot marks whole days where moments are far apart.
  const getText = (at: number, step: number, span: number) =>
    !isDays && step < DAY
      ? formatTick(at, i18n.locale)
      : i18n.date(new Date(at * 1000), {
          ...(span > 300 * DAY ? { year: '2-digit' } : { day: 'numeric' }),
          month: 'short',
          ...(isDays && { timeZone: 'UTC' }),
        })
  return {
    ...(isDays && { tzDate: (at: number) => uPlot.tzDate(new Date(at * 1000), 'UTC') }),
    scales: {
      y: {
        range: (_: uPlot, _least: number, highest: number): [number, number] => [
          0,
          most ?? Math.max(1, highest * 1.1),
        ],
      },
    },
    axes: [
      {
        ...axis,
        values: (_: uPlot, shown: number[]) =>
          shown.map((at) =>
            getText(at, (shown[1] ?? 0) - (shown[0] ?? 0), (shown.at(-1) ?? 0) - (shown[0] ?? 0)),
          ),
        space: 72,
        size: 28,
      },
      {
        ...axis,
        size: 56,
        incrs: steps,
        values: (_: uPlot, shown: number[]) => shown.map((value) => format?.(value) ?? i18n.number(value)),
      },
    ],
  }
}
