import { profileQuery, queryClient } from './queries.ts'

/** The account's reason policy for downloads and exports. */
export interface ReasonQuestion {
  /** Reasons to choose from; empty: free text. */
  choices: readonly string[]
  /** Receives the reason, or undefined when the user cancels. */
  answer: (reason: string | undefined) => void
}

let ask: (question: ReasonQuestion) => void = ({ answer }) => answer(undefined)

/** Asks for a reason from code outside components. The shell registers the dialog. */
export function connectReasonQuestion(show: (question: ReasonQuestion) => void): void {
  ask = show
}

/**
 * Asks for a reason where the account requires one. Resolves to the call's fields, empty where none is required; to
 * undefined when the user cancels.
 */
export async function takeReason(): Promise<{ reason?: string } | undefined> {
  const choices = queryClient.getQueryData(profileQuery.queryKey)?.reasons ?? null
  if (choices === null) return {}
  const reason = await new Promise<string | undefined>((answer) => ask({ choices, answer }))
  return reason === undefined ? undefined : { reason }
}
