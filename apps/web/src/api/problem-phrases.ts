import type { Locale, ProblemCode } from '@custodia/contract'

type Problems = Readonly<Record<ProblemCode, Readonly<Record<Locale, string>>>>

/** Milliseconds for which a problem waits for its text: what comes later is told as the server says it. */
const PATIENCE = 2000
let known: Problems | undefined
let loading: Promise<void> | undefined

/** What problems are called, once one has come. */
export const knownProblems = (): Problems | undefined => known

/** Loads what problems are called, which no page needs before there is one. Never fails. */
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
