import { useLingui } from '@lingui/react/macro'
import { useComputedColorScheme } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { useEffect, useRef } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import classes from './time-chart.module.css'

/** Numbers over time in one colour. */
export interface Series {
  label: string
  /** Name of a colour of the theme. */
  color: string
  values: readonly number[]
}

const HEIGHT = 180
const FONT = '12px Inter Variable, sans-serif'

/** Lines over time. Screen readers read the table that stands next to it. */
export default function TimeChart({
  times,
  series,
}: {
  /** Epoch seconds of days (UTC). */
  times: readonly number[]
  series: readonly Series[]
}) {
  const { i18n } = useLingui()
  const scheme = useComputedColorScheme('light')
  const { ref, width } = useElementSize()
  const target = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (target.current === null || width === 0) return
    const style = getComputedStyle(target.current)
    const colorOf = (color: string) =>
      style.getPropertyValue(`--mantine-color-${color}-${scheme === 'dark' ? 4 : 7}`)
    const text = style.color
    const axis = { stroke: text, font: FONT, grid: { stroke: style.borderTopColor, width: 1 } }
    const day = (at: number) =>
      i18n.date(new Date(at * 1000), { day: 'numeric', month: 'short', timeZone: 'UTC' })
    const chart = new uPlot(
      {
        width,
        height: HEIGHT,
        tzDate: (at) => uPlot.tzDate(new Date(at * 1000), 'UTC'),
        cursor: { show: false },
        legend: { show: false },
        scales: { y: { range: (_, _least, most) => [0, Math.max(1, most * 1.1)] } },
        axes: [
          { ...axis, ticks: { show: false }, values: (_, at) => at.map(day), space: 64 },
          {
            ...axis,
            ticks: { show: false },
            size: 48,
            incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 50_000, 100_000],
            values: (_, counts) => counts.map((count) => i18n.number(count)),
          },
        ],
        series: [
          {},
          ...series.map(({ label, color }) => ({
            label,
            stroke: colorOf(color),
            width: 2,
            points: { show: false },
          })),
        ],
      },
      [[...times], ...series.map(({ values }) => [...values])],
      target.current,
    )
    return () => chart.destroy()
  }, [times, series, width, scheme, i18n])
  return (
    <div ref={ref} aria-hidden>
      <div ref={target} className={classes.chart} />
    </div>
  )
}
