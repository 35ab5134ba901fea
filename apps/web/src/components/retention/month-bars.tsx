/* oxlint-disable jsx-a11y/prefer-tag-over-role -- a drawing of elements is no img */
import { useLingui } from '@lingui/react/macro'
import classes from './month-bars.module.css'

/** A bar for each month; the table beside it says the same in numbers. */
export function MonthBars({
  label,
  bars,
}: {
  label: string
  bars: readonly { name: string; count: number }[]
}) {
  const { i18n } = useLingui()
  const most = Math.max(1, ...bars.map(({ count }) => count))
  return (
    // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- drawn by elements, there is no picture to name
    <div className={classes.bars} role="img" aria-label={label}>
      {bars.map(({ name, count }) => (
        <div key={name} className={classes.month} title={`${name}: ${i18n.number(count)}`}>
          <div className={classes.bar} style={{ height: `${(100 * count) / most}%` }} />
          <span className={classes.name}>{name}</span>
        </div>
      ))}
    </div>
  )
}
