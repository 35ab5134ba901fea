import type { I18n } from '@lingui/core'
import { msg, plural } from '@lingui/core/macro'
import { formatTime } from '../../ui/time-format.ts'
import { resolveDate } from './date-range.ts'
import type { ListSearch } from './list-search.ts'

/** Ranges that one click chooses. */
export const DATE_PRESETS = [
  { from: 'today', short: msg`Today` },
  { from: '-7d', short: msg`7 days` },
  { from: '-30d', short: msg`30 days` },
] as const

/** The dates of a search in words: 'Last 7 days', 'From 3 Nov 2026', '3 Nov 2026 – 5 Nov 2026'; undefined without dates. */
export function dateWords(search: ListSearch, i18n: I18n, now = Date.now()): string | undefined {
  const [from, to] = [momentOf(search.from), momentOf(search.to)]
  if (from === undefined && to === undefined) return undefined
  const words = (text: string) => i18n._(wordOf(text)) || dayOf(text, i18n, now)
  if (to === undefined) {
    const preset = from === undefined ? undefined : sinceWords(from, i18n)
    return preset ?? i18n._(msg`From ${words(from ?? '')}`)
  }
  if (from === undefined) return i18n._(msg`Until ${words(to)}`)
  return from === to ? words(from) : `${words(from)} – ${words(to)}`
}

const momentOf = (value: ListSearch[string]): string | undefined =>
  typeof value === 'string' && value !== 'now' ? value : undefined

function sinceWords(from: string, i18n: I18n): string | undefined {
  if (from === 'today') return i18n._(msg`Today`)
  const [, digits, unit] = /^-(\d+)([hdw])$/.exec(from) ?? []
  if (digits === undefined) return undefined
  const count = Number(digits)
  if (unit === 'h') return i18n._(msg`${plural(count, { one: 'Last # hour', other: 'Last # hours' })}`)
  const days = unit === 'w' ? count * 7 : count
  return i18n._(msg`${plural(days, { one: 'Last # day', other: 'Last # days' })}`)
}

const wordOf = (text: string) =>
  text === 'today' ? msg`Today` : text === 'yesterday' ? msg`Yesterday` : { id: '' }

function dayOf(text: string, i18n: I18n, now: number): string {
  const at = resolveDate(text, 'start', now)
  return at === undefined ? text : formatTime(at, i18n.locale, undefined, 'day')
}
