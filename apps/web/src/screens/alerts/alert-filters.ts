import { ALERT_SCOPES, ALERT_STATES, ALERT_TYPES } from '@custodia/contract'
import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { GRAVEST_FIRST } from '../../components/alerts/severity.ts'
import {
  ALERT_SCOPE_WORDS,
  ALERT_SEVERITY_WORDS,
  ALERT_STATE_WORDS,
  ALERT_TYPE_WORDS,
} from '../../components/words/alert-words.ts'
import { wordOptions, type Words } from '../../components/words/spec-word.tsx'

const choice = <Name extends string, Value extends string>(
  name: Name,
  label: MessageDescriptor,
  words: Words<Value>,
  values: readonly Value[],
) => ({ kind: 'choice', name, label, useOptions: wordOptions(words, values) }) as const

/** Filters of alerts, for one client and for all. */
export const alertFilter = {
  severities: choice('severities', msg`Severity`, ALERT_SEVERITY_WORDS, GRAVEST_FIRST),
  states: choice('states', msg`State`, ALERT_STATE_WORDS, ALERT_STATES),
  scopes: choice('scopes', msg`Scope`, ALERT_SCOPE_WORDS, ALERT_SCOPES),
  alert_types: choice('alert_types', msg`Type`, ALERT_TYPE_WORDS, ALERT_TYPES),
}

export const ALERT_DATES = [
  { value: 'last_occurrence', label: msg`Last occurrence` },
  { value: 'first_occurrence', label: msg`First occurrence` },
] as const
