import { useLingui } from '@lingui/react/macro'
import { formatTime } from '../../ui/time-format.ts'
import { ticksOf } from './clock.ts'
import classes from './replay-bar.module.css'
import type { Segment } from './segments.ts'

/** Ticks of an axis at most. */
const MOST_TICKS = 8
const DAY_SECONDS = 86_400

interface Span {
  begin: number
  end: number
}

/** Stops, ways and gaps under the slider, with round times. The list says the same in words. */
export function TimeAxis({ span, segments }: { span: Span; segments: readonly Segment[] }) {
  const { i18n } = useLingui()
  const { begin, end } = span
  const length = Math.max(1, end - begin)
  const part = (seconds: number) => `${(seconds / length) * 100}%`
  const isLong = length > DAY_SECONDS
  const isMidnight = (tick: number) => new Date(tick * 1000).getHours() === 0
  return (
    <div className={classes.axis} aria-hidden="true">
      <div className={classes.strip}>
        {segments
          .filter(({ kind }) => kind !== 'move')
          .map((each) => (
            <span
              key={`${each.device_reference} ${each.begin}`}
              className={classes[each.kind]}
              style={{ left: part(each.begin - begin), width: part(each.end - each.begin) }}
            />
          ))}
      </div>
      {ticksOf(span, MOST_TICKS).map((tick) => (
        <span key={tick} className={classes.tick} style={{ left: part(tick - begin) }}>
          {formatTime(tick, i18n.locale, undefined, isLong && isMidnight(tick) ? 'day' : 'clock')}
        </span>
      ))}
    </div>
  )
}
