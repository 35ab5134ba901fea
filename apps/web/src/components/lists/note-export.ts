import type { Api, CallInput } from '@custodia/contract'
import { api } from '../../api/api.ts'
import { noticeFailure } from '../../api/notices.ts'
import { takeReason } from '../../api/reasons.ts'

/**
 * Says on record that the rows of a list are taken away as a file, and why, where the account asks. Resolves to whether the file may be made: not when
 * the reader thinks better of it, or when it could not be recorded, which is shown.
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
