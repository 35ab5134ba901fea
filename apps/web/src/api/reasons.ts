import type { Api, CallInput } from '@custodia/contract'
import { api } from './api.ts'
import { noticeFailure } from './notices.ts'
import { profileQuery } from './queries.ts'
import { queryClient } from './query-client.ts'

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

/**
 * Records an export in the audit log, with a reason where the account requires one. Resolves to false when the user
 * cancels or the record fails (which is shown).
 */
export async function noteExport(
  file: Omit<CallInput<Api['noteExport']>['body'], 'reason'>,
): Promise<boolean> {
  const why = await takeReason()
  if (why === undefined) return false
  try {
    await api.noteExport({ body: { ...file, ...why } })
    return true
  } catch (error) {
    noticeFailure(error)
    return false
  }
}
