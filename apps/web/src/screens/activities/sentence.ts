import {
  ASKED_ONLY,
  type DeviceActivity,
  type Locale,
  loggedList,
  type LoggedParameters,
  logSentenceWith,
  NOT_DONE,
  OPENED,
  type Phrase,
  type PayloadType,
  type PortalActivity,
  SERVICE_TYPES,
} from '@custodia/contract'

export interface Denial {
  /** Server code; undefined where the log has none. */
  code: string | undefined
  /** Detail after the code, or the whole text. */
  detail: string
}

/** Parses a denial of the log: a known code, and details after a colon. */
export function readDenial(denial_reason: string, known: Readonly<Record<string, unknown>>): Denial {
  const [, code = '', detail = ''] = /^(\w+)(?:: (.*))?$/s.exec(denial_reason) ?? []
  return Object.hasOwn(known, code) ? { code, detail } : { code: undefined, detail: denial_reason }
}

/** Status codes of denied calls. */
const DENYING = new Set([401, 403, 404, 429])
const DENIED = /^(sign_in_refused|cookie_reused|provider_refused)\b/

/** Whether a call was allowed; otherwise whether it was denied or failed. */
export function getOutcome(entry: {
  is_allowed: boolean
  status_code: number | null
  denial_reason: string | null
}): 'allowed' | 'denied' | 'failed' {
  if (entry.is_allowed) return 'allowed'
  const isDenied = entry.status_code === null || DENYING.has(entry.status_code)
  return isDenied || DENIED.test(entry.denial_reason ?? '') ? 'denied' : 'failed'
}

/** Status code of a call that waits for a second person. */
const PROPOSED = 202

/** Fields that both logs have. */
export type Activity = PortalActivity | DeviceActivity

type SentencePart = { text: string } | { name: string }

const parts = (template: string): SentencePart[] =>
  template
    .split(/(\{\w+\})/)
    .filter((part) => part !== '')
    .map((part) => (/^\{\w+\}$/.test(part) ? { name: part.slice(1, -1) } : { text: part }))

/** Types that are opened, not played. */
const READ_OR_SEEN: readonly PayloadType[] = [...SERVICE_TYPES.messages, ...SERVICE_TYPES.photos]

/** Sentence template of an entry; an unknown action shows its code. */
export function getSentence(row: Activity, parameters: LoggedParameters, locale: Locale): SentencePart[] {
  const asked: Readonly<Record<string, Phrase>> = ASKED_ONLY
  const isAskedOnly = 'was_handed_out' in row && row.was_handed_out === false
  const seen = 'recording' in row && row.action === 'payloads:play' ? row.recording?.seen : undefined
  const act =
    (isAskedOnly ? asked[row.action] : undefined) ??
    (seen && READ_OR_SEEN.includes(seen.payload_type) ? OPENED : logSentenceWith(row.action, parameters))
  const sentence = act?.[locale] ?? `{who}: ${row.action}`
  const outcome = row.status_code === PROPOSED ? 'proposed' : getOutcome(row)
  return parts(outcome === 'allowed' ? sentence : NOT_DONE[outcome][locale].replace('{act}', sentence))
}

/** Placeholders that count what a call concerns. */
export const COUNTED = ['recordings', 'conversations', 'alerts', 'devices', 'users'] as const

/** Maximum values named. */
const NAMED = 3

/** A parameter as text; undefined for cut or redacted ones. */
export function getText(parameters: LoggedParameters, name: string): string | undefined {
  const value = parameters[name]
  if (typeof value === 'string' || typeof value === 'number') return String(value)
  const { items, count } = loggedList(value) ?? {}
  if (items === undefined || !items.every((each) => typeof each === 'string')) return undefined
  return items.slice(0, NAMED).join(', ') + ((count ?? 0) > Math.min(items.length, NAMED) ? ' …' : '')
}

const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/

/** A generated reference as people quote it: its last four characters. Other references stay. */
export const shortReference = (value: string): string => (ULID.test(value) ? value.slice(-4) : value)
