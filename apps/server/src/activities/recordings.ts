import { findRecordings } from '../payload-records/store.ts'
import type { LoggedRecording } from '@custodia/contract'
import type { PortalUser } from '../http/context.ts'

import type { Queryable } from '../ports/database/lease.ts'

interface Readable {
  payload_id: number
  payload_reference: string
  seen: NonNullable<LoggedRecording['seen']>
}

/** The recordings that the caller may read, as the log shows them. Missing references are omitted. */
export async function readableRecordings(
  q: Queryable,
  { access }: Pick<PortalUser, 'access'>,
  references: readonly (string | null | undefined)[],
): Promise<Readable[]> {
  const wanted = new Set(references.filter((each) => each !== null && each !== undefined))
  if (wanted.size === 0) return []
  return (await findRecordings(q, [...wanted])).flatMap(
    ({ payload_id, payload_reference, group_id, ...seen }) =>
      access.permits('payloads:read', { group_id, payload_type: seen.payload_type })
        ? [{ payload_id, payload_reference, seen }]
        : [],
  )
}
