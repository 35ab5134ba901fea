import { nounWords, permissionWords } from '@custodia/contract'
import { shownLocale } from '../../i18n/i18n.ts'

/** Label of an action in the current language; its code without one. */
export const actionWords = (action: string): string => permissionWords(action)?.[shownLocale()] ?? action

/** Labels of nouns. */
export const nounWord = (noun: string): string => nounWords(noun)?.[shownLocale()] ?? noun

/** Label of an action, followed by its code. */
export const ActionName = ({ action }: { action: string }) => (
  <span title={action}>{actionWords(action)}</span>
)
