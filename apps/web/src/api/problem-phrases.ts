import type { Locale, ProblemCode } from '@custodia/contract'
import type { textOfFault } from './fault-texts.ts'

/** A server that is newer than the page has further codes. */
type Problems = Readonly<Partial<Record<ProblemCode, Readonly<Record<Locale, string>>>>>

/** Milliseconds to wait for the translated text; after that the server's text is shown. */
const PATIENCE = 2000
let problems: Problems | undefined
let faultTexts: typeof textOfFault | undefined
let loading: Promise<void> | undefined

/** Translated problem texts, once loaded. */
export const knownProblems = (): Problems | undefined => problems
/** Translated fault text, once loaded. */
export const knownFault: typeof textOfFault = (...fault) => faultTexts?.(...fault)

/** Forms check values before any server does, and hand over their own texts. */
export function knowFaults(texts: typeof textOfFault): void {
  faultTexts = texts
}

/** Loads the texts of problems and faults on demand. Never fails. */
export function loadProblems(): Promise<void> {
  loading ??= import('./problem-texts.ts').then(
    (texts) => {
      problems = texts.PROBLEMS
      knowFaults(texts.textOfFault)
    },
    () => {
      loading = undefined
    },
  )
  return Promise.race([loading, new Promise<void>((resolve) => setTimeout(resolve, PATIENCE))])
}
