import type { FailureCode } from '@custodia/contract'
import { deviceView } from '@custodia/domain'
import type { House } from '../../house.ts'
import type { Handler } from '../../http/context.ts'
import { findAwaited, noticeArrivals } from './arrive.ts'
import { stateOfCode } from '../codes.ts'

/** States of a phone's own payloads. What lies in the object store is noticed here, without waiting for the sweep. */
export function readPayloadStatus(house: House): Handler<'readPayloadStatus'> {
  return async (context, { body: { payload_references } }) => {
    const { client_id, device_id } = context.caller
    if (house.objects.kind === 's3')
      await noticeArrivals(house, await findAwaited(house, client_id, payload_references))
    const { rows } = await context.read((q) =>
      q.query<{ payload_reference: string; state: number; failure: FailureCode | null }>(
        `select payload_reference, state, failure from payloads
         where client_id = $1 and device_id = $2 and payload_reference = any($3)`,
        [client_id, device_id, payload_references],
        'payload_status',
      ),
    )
    const known = new Map(rows.map((row) => [row.payload_reference, row]))
    return {
      payloads: payload_references.map((payload_reference) => {
        const row = known.get(payload_reference)
        const status = deviceView(row && stateOfCode(row.state))
        return {
          payload_reference,
          status,
          ...(status === 'failed' && row?.failure ? { reason: row.failure } : {}),
        }
      }),
    }
  }
}
