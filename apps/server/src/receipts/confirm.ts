import type { RECEIPT_STATUSES } from '@custodia/contract'
import { dataStatus } from '@custodia/domain'
import type { Handler, Handlers } from '../http/context.ts'
import { type DataSubject, findDataSubjects } from '../payloads/store.ts'
import { insertReceipts } from './store.ts'

const ACTION = 'receipts:confirm'

/** Receipts of client apps, which retention may require, and of people. */
export const receiptRoutes = (): Handlers<'confirmReceipts'> => ({ confirmReceipts })

/** Confirms each payload on its own. Idempotent: the first time counts. */
const confirmReceipts: Handler<'confirmReceipts'> = async (context, { body }) => {
  const { caller, now } = context
  const by = { user_reference: caller.user_reference, is_person: !caller.is_client_app }
  return context.write(async (tx) => {
    const subjects = await findDataSubjects(tx, body.payload_references)
    const getStatus = (subject: DataSubject | undefined): (typeof RECEIPT_STATUSES)[number] => {
      const status = dataStatus({ action: ACTION, access: caller.access, payload: subject })
      if (status !== 'NoS3Url') return status
      // A blocked or aborted call is its metadata; other payloads have no content yet, or no longer.
      return subject?.payload_state === 'NotRecorded' ? 'Ok' : 'NoMatchingRecord'
    }
    const confirmed = [...subjects.values()].filter((subject) => getStatus(subject) === 'Ok')
    const ids = confirmed.map(({ payload_id }) => payload_id)
    const times = await insertReceipts(tx, ids, by, now)
    return {
      receipts: body.payload_references.map((payload_reference) => {
        const subject = subjects.get(payload_reference)
        const confirmed_at = (subject && times.get(subject.payload_id)) ?? null
        return { payload_reference, status: getStatus(subject), confirmed_at }
      }),
    }
  })
}
