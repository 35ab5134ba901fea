import { nounWords, permissionWords } from '@custodia/contract'
import { shownLocale } from '../../i18n/i18n.ts'

/** What an action lets somebody do, in the language on screen; one without words by its name. */
export const actionWords = (action: string): string => permissionWords(action)?.[shownLocale()] ?? action

/** What the actions of a noun are about. */
export const nounWord = (noun: string): string => nounWords(noun)?.[shownLocale()] ?? noun
