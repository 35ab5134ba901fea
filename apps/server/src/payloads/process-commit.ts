import type { FailureCode, PayloadMeta, PayloadState } from '@custodia/contract'
import { partyNumbers, payloadDocument } from '@custodia/domain'
import { raiseAlert } from '../alerts/raise.ts'
import type { House } from '../house.ts'
import type { Tx } from '../ports/database/lease.ts'
import type { Examined } from './examine.ts'
import { failureAlert, isResendable } from './failures.ts'
import { insertObject } from './insert-object.ts'
import { leaveWork, moveState } from './move-state.ts'
import type { Subject } from './process-subject.ts'
import { renderPayload } from './render-job.ts'

/** The payload is `Processed`, with its document, numbers and objects, all at once. False when another attempt was faster. */
export async function commitProcessed(
  house: House,
  subject: Subject,
  metadata: PayloadMeta,
  { objects }: Examined,
): Promise<boolean> {
  const key = { client_id: subject.client_id, payload_id: subject.payload_id }
  return house.db.write(subject.client_id, async (tx) => {
    if (!(await move(house, tx, subject, 'Processed'))) return false
    await insertDocument(tx, subject, metadata)
    for (const object of objects) await insertObject(tx, subject, object, house.now())
    if (objects.some(({ details }) => details.being_prepared)) await house.jobs.send(tx, renderPayload, key)
    await leaveWork(tx, subject.client_id, subject.payload_id)
    return true
  })
}

/** A call that was not recorded is `NotRecorded`, with its document, all at once. */
export async function commitMetadata(house: House, subject: Subject, metadata: PayloadMeta): Promise<void> {
  await house.db.write(subject.client_id, async (tx) => {
    if (!(await move(house, tx, subject, 'NotRecorded'))) return
    await insertDocument(tx, subject, metadata)
    await leaveWork(tx, subject.client_id, subject.payload_id)
  })
}

const QUARANTINED: ReadonlySet<FailureCode> = new Set<FailureCode>(['malware_found', 'scan_limit_exceeded'])

/** The payload rests with its reason, and the client's staff are told. Nothing of it is removed. */
export async function commitFailure(
  house: House,
  subject: Subject,
  failure: FailureCode,
  metadata: PayloadMeta | undefined,
): Promise<void> {
  const { client_id, payload_id } = subject
  await house.db.write(client_id, async (tx) => {
    const rests = QUARANTINED.has(failure) ? 'Quarantined' : 'Failed'
    if (!(await move(house, tx, subject, rests, failure))) return
    // The sweep keeps looking for data that the phone sends again.
    if (!isResendable(failure)) await leaveWork(tx, client_id, payload_id)
    else {
      // The bytes that came stay where they are; the phone's next upload gets a place of its own.
      await tx.query('update payloads set rejected_count = rejected_count + 1 where payload_id = $1', [
        payload_id,
      ])
    }
    if (metadata) await insertDocument(tx, subject, metadata)
    await raiseAlert(tx, failureAlert(subject, failure, house.now()))
  })
}

const move = (
  house: House,
  tx: Tx,
  { client_id, payload_id }: Subject,
  to: PayloadState,
  failure?: FailureCode,
) => moveState(tx, { client_id, payload_id, from: ['Scanning'], to, now: house.now(), by: 'worker', failure })

async function insertDocument(tx: Tx, subject: Subject, metadata: PayloadMeta): Promise<void> {
  const document = payloadDocument(metadata)
  const numbers = partyNumbers(metadata)
  await tx.query(
    `insert into payload_documents (payload_id, client_id, list_doc, thread_id, second_party_numbers, all_numbers)
     values ($1, $2, $3, $4, $5, $6) on conflict (payload_id) do nothing`,
    [
      subject.payload_id,
      subject.client_id,
      JSON.stringify(document),
      document.thread_id ?? null,
      numbers.second_party_numbers,
      numbers.all_numbers,
    ],
    'process_document',
  )
  await tx.query(
    `insert into payload_numbers (client_id, number_hash, service, payload_time, payload_id, group_id, type, is_second)
     select $1, hashtextextended(number, 0), $2, $3, $4, $5, $6, number = any($8)
     from unnest($7::text[]) as number on conflict do nothing`,
    [
      subject.client_id,
      subject.service,
      subject.payload_time,
      subject.payload_id,
      subject.group_id,
      subject.type,
      [...new Set(numbers.all)],
      numbers.second_party,
    ],
    'process_numbers',
  )
}
