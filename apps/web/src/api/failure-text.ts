import { ApiProblem, ResponseShapeError } from '@custodia/client'
import type { Fault, Locale, ProblemCode } from '@custodia/contract'
import type { I18n } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { useLingui } from '@lingui/react'
import { knownFault, knownProblems } from './problem-phrases.ts'

const getLocale = (i18n: I18n): Locale => (i18n.locale === 'pt-BR' ? 'pt-BR' : 'en-GB')

/** Text of one fault in the reader's language (spec section 5), without its path. */
export function faultText(fault: FieldFault, i18n: I18n): string {
  const { code, message, values } = fault
  const locale = getLocale(i18n)
  return (
    knownFault(code, inWords(values ?? {}, i18n), locale) ??
    knownProblems()?.[code as ProblemCode]?.[locale] ??
    message
  )
}

const inWords = (values: Readonly<Record<string, string | number>>, i18n: I18n): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === 'number' ? i18n.number(value) : value,
    ]),
  )

/** A fault, or a problem of the whole call that a form shows at a field. */
export type FieldFault = Omit<Fault, 'code'> & { code: Fault['code'] | ProblemCode }

/** Cause of a failure in the reader's language (spec section 8): 404 is 'Data not found', faults are 'path: message'. */
export function failureText(error: unknown, i18n: I18n): string {
  const ofFault = (fault: Fault) => {
    const text = faultText(fault, i18n)
    return fault.path === '' ? text : `${fault.path}: ${text}`
  }
  if (error instanceof ApiProblem) {
    if (error.status === 404) return i18n._(msg`Data not found`)
    if (error.faults.length > 0) return error.faults.map(ofFault).join('\n')
    return (error.code && knownProblems()?.[error.code]?.[getLocale(i18n)]) ?? error.message
  }
  if (error instanceof ResponseShapeError) return error.message
  if (error instanceof TypeError) return i18n._(msg`The server cannot be reached. Check your connection.`)
  return i18n._(msg`Internal Server Error`)
}

/** `failureText` in the current language, updated when it changes. */
export function useFailureText(): (error: unknown) => string {
  const { i18n } = useLingui()
  return (error) => failureText(error, i18n)
}

/** Whether a read by reference failed for good: no such record, no access to it, or a malformed reference (400). */
export const isNotFound = (error: unknown): boolean =>
  error instanceof ApiProblem && (error.status === 404 || error.status === 400)
