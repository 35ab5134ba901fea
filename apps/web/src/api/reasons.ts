import { profileQuery, queryClient } from './queries.ts'

/** What the account asks of whoever takes data away. */
export interface ReasonQuestion {
  /** Reasons to choose from; none: in the reader's own words. */
  choices: readonly string[]
  /** Hears the reason, or undefined when the reader thinks better of it. */
  answer: (reason: string | undefined) => void
}

let ask: (question: ReasonQuestion) => void = ({ answer }) => answer(undefined)

/** Gives code without a component a way to ask. How the question looks, the shell knows. */
export function connectReasonQuestion(show: (question: ReasonQuestion) => void): void {
  ask = show
}

/**
 * Asks why data is taken away, where the account wants to know. Resolves to what the call says of it, nothing where nobody asks; to undefined when the
 * reader thinks better of it.
 */
export async function takeReason(): Promise<{ reason?: string } | undefined> {
  const choices = queryClient.getQueryData(profileQuery.queryKey)?.reasons ?? null
  if (choices === null) return {}
  const reason = await new Promise<string | undefined>((answer) => ask({ choices, answer }))
  return reason === undefined ? undefined : { reason }
}
