import type { NamedRecording } from '@custodia/contract'
import type { Access } from '@custodia/domain'
import { personNames } from '../device-records/names-store.ts'
import type { Queryable } from '../ports/database/lease.ts'
import { findRecordings } from './store.ts'

interface ReadableRecording {
  payload_id: number
  payload_reference: string
  seen: NonNullable<NamedRecording['seen']>
}

/** The recordings that the reader may read, as other records name them. Missing references are omitted. */
export async function readableRecordings(
  q: Queryable,
  access: Access,
  references: readonly (string | null | undefined)[],
): Promise<ReadableRecording[]> {
  const wanted = new Set(references.filter((each) => each !== null && each !== undefined))
  if (wanted.size === 0) return []
  const found = (await findRecordings(q, [...wanted])).filter(({ group_id, payload_type }) =>
    access.permits('payloads:read', { group_id, payload_type }),
  )
  const people = await personNames(
    q,
    access,
    found.flatMap(({ device_user_reference }) => device_user_reference ?? []),
  )
  return found.map(({ payload_id, payload_reference, group_id: _group, device_user_id: _user, ...seen }) => {
    const person_name = people.get(seen.device_user_reference ?? '')
    return {
      payload_id,
      payload_reference,
      seen: { ...seen, ...(person_name !== undefined && { person_name }) },
    }
  })
}
