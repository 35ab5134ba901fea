import type { PayloadPlace } from '@custodia/contract'
import { dataStatus } from '@custodia/domain'
import type { AppContext } from '../../app-context.ts'
import type { Handler } from '../../http/context.ts'
import { isDamage, reportDamage } from '../data-damage.ts'
import { findSealedMetadata, openSealedMetadata, type SealedMetadata } from '../sealed-metadata-store.ts'
import { findDataSubjects } from '../store.ts'

/** Metadata opened concurrently: each needs the key service. */
const AT_ONCE = 8

interface Location {
  latitude: number
  longitude: number
  accuracy?: number
}

/** Returns the places of visible payloads whose metadata has one. */
export function readPayloadPlaces(ctx: AppContext): Handler<'readPayloadPlaces'> {
  return async ({ caller, readFromReplica }, { query: { payload_references } }) => {
    const { access } = caller
    const found = await readFromReplica(async (q) => {
      const subjects = await findDataSubjects(q, payload_references)
      const data = payload_references.map((payload_reference): PayloadPlace => {
        const payload = subjects.get(payload_reference)
        const status = dataStatus({ action: 'payloads.places:read', access, payload })
        // A payload without data, such as a missed call, still has a place.
        return { payload_reference, status: status === 'NoS3Url' ? 'Ok' : status }
      })
      const result = data.flatMap(({ status, payload_reference }) =>
        status === 'Ok' ? (subjects.get(payload_reference)?.payload_id ?? []) : [],
      )
      return { data, sealed: await findSealedMetadata(q, result) }
    })
    const answers = new Map(found.data.map((answer) => [answer.payload_reference, answer]))
    const waiting = found.sealed.values()
    const open = async () => {
      for (const each of waiting) {
        const place = await placeOf(ctx, caller.client_id, each)
        const answer = answers.get(each.payload_reference)
        if (place && answer) answer.place = place
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, open))
    return { data: found.data }
  }
}

/** Undefined without a place; reports damaged metadata to the client's staff and returns undefined. */
async function placeOf(
  ctx: AppContext,
  client_id: number,
  sealed: SealedMetadata,
): Promise<PayloadPlace['place']> {
  try {
    const meta = await openSealedMetadata(ctx, sealed)
    const fix = meta.payload_location as Location | null | undefined
    const location = fix ?? (meta.last_known_location as Location | null | undefined)
    if (!location) return undefined
    const { latitude, longitude, accuracy = null } = location
    return { latitude, longitude, accuracy, is_last_known: !fix }
  } catch (error) {
    if (!isDamage(error)) throw error
    const { payload_reference } = sealed
    await reportDamage(ctx, { client_id, payload_reference, kind: 'meta' }, error)
    return undefined
  }
}
