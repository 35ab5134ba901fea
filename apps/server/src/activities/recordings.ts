import type { PortalActivity } from '@custodia/contract'
import type { PortalContext } from '../http/context.ts'
import { readableRecordings } from '../payload-records/readable.ts'
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
    caller.access,
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
