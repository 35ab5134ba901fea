import type { Locale, ProblemCode } from '@custodia/contract'

type Problems = Readonly<Record<ProblemCode, Readonly<Record<Locale, string>>>>

/** Milliseconds to wait for the translated text; after that the server's text is shown. */
const PATIENCE = 2000
let known: Problems | undefined
let loading: Promise<void> | undefined

/** Translated problem texts, once loaded. */
export const knownProblems = (): Problems | undefined => known

/** Loads the problem texts on demand. Never fails. */
export function loadProblems(): Promise<void> {
  loading ??= import('./problem-texts.ts').then(
    ({ PROBLEMS }) => {
      known = PROBLEMS
    },
    () => {
      loading = undefined
    },
  )
  return Promise.race([loading, new Promise<void>((resolve) => setTimeout(resolve, PATIENCE))])
}
