import { useLingui } from '@lingui/react/macro'
import { Text } from '@mantine/core'
import { type ChartPoint, piecesOf } from './chart-path.ts'
import classes from './telemetry.module.css'

/** Sparkline of one value; a table shows the same numbers. */
export function Chart(props: {
  title: string
  points: readonly ChartPoint[]
  from: number
  to: number
  step: number
  /** Top of the chart; default: the largest value. */
  most?: number
  format: (value: number) => string
}) {
  const { t } = useLingui()
  const { title, points, from, to, step, format } = props
  const values = points.flatMap(({ value }) => (value === null ? [] : [value]))
  const most = props.most ?? Math.max(1, ...values)
  const last = values.at(-1)
  const [lowest, highest] = [format(Math.min(...values)), format(Math.max(...values))]
  // A device that reports every 15 minutes may skip some reports.
  const pieces = piecesOf(points, { from, to, most, pause: Math.max(4 * step, 2 * 3600) })
  return (
    <figure style={{ margin: 0 }}>
      <figcaption>
        <Text component="span" fw={600}>
          {title}
        </Text>{' '}
        {last !== undefined && (
          <Text component="span" className="tabular">
            {format(last)}
          </Text>
        )}
        {values.length > 0 && (
          <Text size="sm" c="dimmed">
            {t`Between ${lowest} and ${highest}`}
          </Text>
        )}
      </figcaption>
      {values.length === 0 ? (
        <Text c="dimmed">{t`Not reported in this period.`}</Text>
      ) : (
        <svg
          className={classes.chart}
          viewBox="0 0 100 100"
          preserveAspectRatio="none"
          aria-hidden="true"
          focusable="false"
        >
          <line className={classes.base} x1="0" x2="100" y1="100" y2="100" />
          {pieces.map((piece) =>
            piece.includes(' ') ? (
              <polyline key={piece} className={classes.line} points={piece} />
            ) : (
              <polyline key={piece} className={classes.dot} points={`${piece} ${piece}`} />
            ),
          )}
        </svg>
      )}
    </figure>
  )
}
