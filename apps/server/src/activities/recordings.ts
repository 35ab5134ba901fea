import type { LoggedRecording, PortalActivity } from '@custodia/contract'
import type { PortalContext, PortalUser } from '../http/context.ts'
import { findRecordings } from '../payload-records/store.ts'
import type { Queryable } from '../ports/database/lease.ts'
import { namesOf } from './names.ts'

/** An entry as the log has it: of a recording it knows the reference alone. */
export type LoggedRow = Omit<PortalActivity, 'recording' | 'names'> & { payload_reference: string | null }

/** Adds names, and the recordings to entries whose reader may see them. */
export async function withRecordings(
  q: Queryable,
  { caller }: Pick<PortalContext, 'caller'>,
  rows: readonly LoggedRow[],
): Promise<PortalActivity[]> {
  const found = await readableRecordings(
    q,
    caller,
    rows.map(({ payload_reference }) => payload_reference),
  )
  const recordings = new Map(found.map(({ payload_reference, seen }) => [payload_reference, seen]))
  const named = rows.map(({ parameters, user_id, is_client_app, support_reference }) => ({
    parameters,
    // Apps and support staff have no names in this account.
    user: is_client_app || support_reference !== null ? undefined : user_id,
  }))
  const names = await namesOf(q, caller.access, 'activities:list', named)
  return rows.map(({ payload_reference, ...row }, index) => ({
    ...row,
    names: names[index] ?? {},
    recording:
      payload_reference === null
        ? null
        : { payload_reference, seen: recordings.get(payload_reference) ?? null },
  }))
}

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
