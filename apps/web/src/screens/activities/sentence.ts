import {
  ASKED_ONLY,
  type DeviceActivity,
  type Locale,
  logSentence,
  NOT_DONE,
  type Phrase,
  type PortalActivity,
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
export function outcomeOf(entry: {
  is_allowed: boolean
  status_code: number | null
  denial_reason: string | null
}): 'allowed' | 'denied' | 'failed' {
  if (entry.is_allowed) return 'allowed'
  const isDenied = entry.status_code === null || DENYING.has(entry.status_code)
  return isDenied || DENIED.test(entry.denial_reason ?? '') ? 'denied' : 'failed'
}

/** Fields that both logs have. */
export type Activity = PortalActivity | DeviceActivity

/** Parts of a sentence: text, and parameters. */
type SentencePart = { text: string } | { name: string }

const parts = (template: string): SentencePart[] =>
  template
    .split(/(\{\w+\})/)
    .filter((part) => part !== '')
    .map((part) => (/^\{\w+\}$/.test(part) ? { name: part.slice(1, -1) } : { text: part }))

/** Sentence template of an entry; an unknown action shows its code. */
export function sentenceOf(row: Activity, locale: Locale): SentencePart[] {
  const asked: Readonly<Record<string, Phrase>> = ASKED_ONLY
  const isAskedOnly = 'was_handed_out' in row && row.was_handed_out === false
  const act = (isAskedOnly ? asked[row.action] : undefined) ?? logSentence(row.action)
  const sentence = act?.[locale] ?? `{who}: ${row.action}`
  const outcome = outcomeOf(row)
  return parts(outcome === 'allowed' ? sentence : NOT_DONE[outcome][locale].replace('{act}', sentence))
}

/** Maximum values named. */
const NAMED = 3

/** Parameters of an entry by name, from any part of the call; cut or redacted ones are missing. */
export function valuesOf(parameters: string): Readonly<Record<string, string>> {
  const values: Record<string, string> = {}
  const take = (fields: unknown) => {
    if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) return
    for (const [name, value] of Object.entries(fields)) {
      if (typeof value === 'string' || typeof value === 'number') values[name] ??= String(value)
      else if (Array.isArray(value) && value.every((each) => typeof each === 'string'))
        values[name] ??= value.slice(0, NAMED).join(', ') + (value.length > NAMED ? ' …' : '')
    }
  }
  try {
    const read = JSON.parse(parameters) as Readonly<Record<string, unknown>>
    for (const part of ['params', 'query', 'body']) take(read[part])
    take(read)
  } catch {
    // The preview still shows the logged text.
  }
  return values
}
