import { type Phrase, phrase } from './phrases.ts'

/** A sentence of the log, in both languages. */
export interface LogSentence extends Phrase {
  /** Asked by portals and phones themselves, again and again. */
  readonly is_background?: true
}

/** A sentence about an act of a person. */
export const did = (en: string, pt: string): LogSentence => phrase(`{who} ${en}`, `{who} ${pt}`)
/** What portals and phones ask by themselves. */
export const asked = (en: string, pt: string): LogSentence => ({ ...did(en, pt), is_background: true })
