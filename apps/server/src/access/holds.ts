import { api } from '@custodia/contract'
import type { Access } from '@custodia/domain'
import type { PortalContext } from '../http/context.ts'
import { Problem } from '../http/problem.ts'

/** Whether the caller may know what is held: in records and in list filters. */
export const mayKnowHolds = (access: Pick<Access, 'allowsGroupless'>): boolean =>
  access.allowsGroupless(api.listLegalHolds.action)

/**
 * Throws if a hold keeps a person or device from deletion. Callers who may not know of holds get a state problem
 * instead. Problems: held, wrong_state.
 */
export async function assertFree(
  { caller }: Pick<PortalContext, 'caller'>,
  holds: { free(): Promise<ReadonlySet<string>> },
): Promise<void> {
  if ((await holds.free()).size > 0) return
  throw new Problem(mayKnowHolds(caller.access) ? 'held' : 'wrong_state')
}
