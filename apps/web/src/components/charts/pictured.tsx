import { Group, Skeleton, Text } from '@mantine/core'
import { lazy, type ReactNode, Suspense } from 'react'
import { shownLocale } from '../../i18n/i18n.ts'
import type { Scales, Series } from './time-chart.tsx'
import classes from './time-chart.module.css'

/** Lines over time; the chart's library loads on first use. */
export const TimeChart = lazy(() => {
  // The library formats numbers by this language while it loads, and fails with one such as "en-US@posix".
  if (!isLanguage(navigator.language))
    Object.defineProperty(navigator, 'language', { value: shownLocale(), configurable: true })
  return import('./time-chart.tsx')
})

function isLanguage(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length > 0
  } catch {
    return false
  }
}

/** A picture of numbers over time with its legend, and the table with the same numbers. */
export function ChartWithTable(props: {
  times: readonly number[]
  series: readonly Series[]
  scales?: Scales
  /** Text without any numbers. */
  none: string
  children: ReactNode
}) {
  if (props.series.length === 0) return <Text c="dimmed">{props.none}</Text>
  return (
    <>
      <Suspense fallback={<Skeleton h={160} />}>
        <TimeChart {...props} />
      </Suspense>
      <Group mb="sm" aria-hidden>
        {props.series.map(({ label, color, isDashed }) => (
          <Group key={label} gap={6}>
            <span
              className={classes.swatch}
              data-dashed={isDashed || undefined}
              style={{
                color: `light-dark(var(--mantine-color-${color}-7), var(--mantine-color-${color}-4))`,
              }}
            />
            <Text size="xs" c="dimmed">
              {label}
            </Text>
          </Group>
        ))}
      </Group>
      {props.children}
    </>
  )
}
