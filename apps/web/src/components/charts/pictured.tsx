import { Group, Skeleton, Text } from '@mantine/core'
import { lazy, type ReactNode, Suspense } from 'react'
import classes from './time-chart.module.css'
import type { Scales, Series } from './time-chart.tsx'

const TimeChart = lazy(() => import('./time-chart.tsx'))

/** A picture of numbers over time with its legend, and the table with the same numbers. */
export function Pictured(props: {
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
      <Group gap="md" mb="sm" aria-hidden>
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
