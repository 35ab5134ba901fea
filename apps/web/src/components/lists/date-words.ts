import type { I18n } from '@lingui/core'
import { msg, plural } from '@lingui/core/macro'
import { formatTime } from '../../ui/time-format.ts'
import { resolveDate, getTime, WEEK } from './date-range.ts'
import type { ListSearch } from './list-search.ts'

const NAMED = {
  today: msg`Today`,
  yesterday: msg`Yesterday`,
  'last-week': msg`Last week`,
  'this-month': msg`This month`,
} as const

/** Presets; they stay relative in the address. */
export const DATE_PRESETS = [
  { from: 'today', to: undefined, word: NAMED.today },
  { from: 'yesterday', to: 'yesterday', word: NAMED.yesterday },
  { from: WEEK, to: undefined, word: msg`7 days` },
  { from: 'last-week', to: 'last-week', word: NAMED['last-week'] },
  { from: 'this-month', to: undefined, word: NAMED['this-month'] },
  { from: '-30d', to: undefined, word: msg`30 days` },
] as const

/**
 * Label of a date range: 'Last 7 days', 'From 3 Nov 2026', '3 Nov 2026 – 5 Nov 2026', '3 Nov 2026, 09:00 – 3 Nov 2026,
 * 17:30'; undefined without dates.
 */
export function dateWords(search: ListSearch, i18n: I18n, now = Date.now()): string | undefined {
  const [from, to] = [getMoment(search.from), getMoment(search.to)]
  if (from === undefined && to === undefined) return undefined
  const words = (text: string) => getName(text, i18n) ?? getDay(text, i18n, now)
  if (to === undefined) {
    const preset = from === undefined ? undefined : sinceWords(from, i18n)
    return preset ?? i18n._(msg`From ${words(from ?? '')}`)
  }
  if (from === undefined) return i18n._(msg`Until ${words(to)}`)
  return from === to && getTime(from) === '' ? words(from) : `${words(from)} – ${words(to)}`
}

const getMoment = (value: ListSearch[string]): string | undefined =>
  typeof value === 'string' && value !== 'now' ? value : undefined

const getName = (text: string, i18n: I18n): string | undefined =>
  text in NAMED ? i18n._(NAMED[text as keyof typeof NAMED]) : undefined

function sinceWords(from: string, i18n: I18n): string | undefined {
  if (from === 'today' || from === 'this-month') return getName(from, i18n)
  const [, digits, unit] = /^-(\d+)([hdw])$/.exec(from) ?? []
  if (digits === undefined) return undefined
  const count = Number(digits)
  if (unit === 'h') return i18n._(msg`${plural(count, { one: 'Last # hour', other: 'Last # hours' })}`)
  const days = unit === 'w' ? count * 7 : count
  return i18n._(msg`${plural(days, { one: 'Last # day', other: 'Last # days' })}`)
}

function getDay(text: string, i18n: I18n, now: number): string {
  const at = resolveDate(text, 'start', now)
  const style = getTime(text) === '' ? 'day' : 'minute'
  return at === undefined ? text : formatTime(at, i18n.locale, undefined, style)
}
