import { type Phrase, phrase } from './phrases.ts'

/** A sentence of the log, in both languages. */
export interface LogSentence extends Phrase {
  /** Portals and devices repeat the call in the background. */
  readonly is_background?: true
}

/** A sentence about an action of a person. */
export const did = (en: string, pt: string): LogSentence => phrase(`{who} ${en}`, `{who} ${pt}`)
/** A background call of portals and devices. */
export const asked = (en: string, pt: string): LogSentence => ({ ...did(en, pt), is_background: true })
