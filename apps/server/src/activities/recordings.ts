import { getParameters, type PortalActivity } from '@custodia/contract'
import type { PortalContext } from '../http/context.ts'
import { readableRecordings } from '../payload-records/readable.ts'
import type { Queryable } from '../ports/database/lease.ts'
import { getNames } from './names.ts'

/** An entry as the log has it: of a recording it knows the reference alone. */
export type LoggedRow = Omit<PortalActivity, 'recording' | 'names'> & { payload_reference: string | null }

/** The support request that a call of the provider's staff outside of support mode names. */
function requestIn(parameters: string): string | undefined {
  const { request_reference } = getParameters(parameters)
  return typeof request_reference === 'string' ? request_reference : undefined
}

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
  const named = rows.map(({ parameters, user_id, is_client_app, action, support_reference }) => {
    // Apps and the provider's staff have no names in this account, and may be called as one of its people.
    const isStaff = support_reference !== null || (!caller.is_provider && action.startsWith('internal.'))
    return {
      parameters,
      user: is_client_app || isStaff ? undefined : user_id,
      support_reference: isStaff ? (support_reference ?? requestIn(parameters)) : undefined,
    }
  })
  const names = await getNames(q, caller.access, 'activities:list', named)
  return rows.map(({ payload_reference, ...row }, index) => ({
    ...row,
    names: names[index] ?? {},
    recording:
      payload_reference === null
        ? null
        : { payload_reference, seen: recordings.get(payload_reference) ?? null },
  }))
}
