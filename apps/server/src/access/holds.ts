import { api } from '@custodia/contract'
import type { Access } from '@custodia/domain'
import type { PortalContext } from '../http/context.ts'
import { Problem } from '../http/problem.ts'

/** Whether somebody may know what is held: where records tell it, and where lists filter by it. */
export const mayKnowHolds = (access: Pick<Access, 'allowsGroupless'>): boolean =>
  access.allowsGroupless(api.listLegalHolds.action)

/**
 * Before somebody, or a phone, is deleted by hand: no hold keeps them. Whoever may not know of holds is told of a state.
 * Problems: held, wrong_state.
 */
export async function assertFree(
  { caller }: Pick<PortalContext, 'caller'>,
  holds: { free(): Promise<ReadonlySet<string>> },
): Promise<void> {
  if ((await holds.free()).size > 0) return
  throw new Problem(mayKnowHolds(caller.access) ? 'held' : 'wrong_state')
}
