import type { Api, CallInput } from '@custodia/contract'
import { api } from '../../api/api.ts'
import { noticeFailure } from '../../api/notices.ts'
import { takeReason } from '../../api/reasons.ts'

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
