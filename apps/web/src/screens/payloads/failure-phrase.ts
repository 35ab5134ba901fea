import { FAILURES, type FailureCode } from '@custodia/contract'
import type { I18n } from '@lingui/core'

/** What a failure means and what happens next, in the current language. */
export const failurePhrase = (failure: FailureCode, { locale }: Pick<I18n, 'locale'>): string =>
  FAILURES[failure][locale === 'pt-BR' ? 'pt-BR' : 'en-GB']
