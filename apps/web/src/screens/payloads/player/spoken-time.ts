import { msg, plural } from '@lingui/core/macro'
import type { I18n } from '@lingui/core'

/** A position as text for screen readers: `2 minutes 5 seconds`. */
export function spokenTime(seconds: number, i18n: I18n): string {
  const whole = Math.max(0, Math.round(seconds))
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60]
  return [
    hours > 0 && i18n._(msg`${plural(hours, { one: '# hour', other: '# hours' })}`),
    minutes > 0 && i18n._(msg`${plural(minutes, { one: '# minute', other: '# minutes' })}`),
    (rest > 0 || whole === 0) && i18n._(msg`${plural(rest, { one: '# second', other: '# seconds' })}`),
  ]
    .filter((part) => part !== false)
    .join(' ')
}
