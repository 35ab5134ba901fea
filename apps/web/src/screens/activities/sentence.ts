import {
  ASKED_ONLY,
  type DeviceActivity,
  type Locale,
  logSentence,
  NOT_DONE,
  type Phrase,
  type PortalActivity,
} from '@custodia/contract'
import { outcomeOf } from './denial.ts'

/** What both logs tell of a call. */
export type Activity = PortalActivity | DeviceActivity

/** A sentence in parts: text, and places where a parameter stands. */
export type SentencePart = { text: string } | { name: string }

const parts = (template: string): SentencePart[] =>
  template
    .split(/(\{\w+\})/)
    .filter((part) => part !== '')
    .map((part) => (/^\{\w+\}$/.test(part) ? { name: part.slice(1, -1) } : { text: part }))

/** What an entry says, as a template; an action that no call has any more stands by its name. */
export function sentenceOf(row: Activity, locale: Locale): SentencePart[] {
  const asked: Readonly<Record<string, Phrase>> = ASKED_ONLY
  const isAskedOnly = 'was_handed_out' in row && row.was_handed_out === false
  const act = (isAskedOnly ? asked[row.action] : undefined) ?? logSentence(row.action)
  const sentence = act?.[locale] ?? `{who}: ${row.action}`
  const outcome = outcomeOf(row)
  return parts(outcome === 'allowed' ? sentence : NOT_DONE[outcome][locale].replace('{act}', sentence))
}

/** Of several values so many are named. */
const NAMED = 3

/** The parameters of an entry by name, wherever in the call they stood; what the log has cut, or struck out, is missing. */
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
    // As it was logged it can still be read in the preview.
  }
  return values
}
