import { api } from '@custodia/contract'
import type { Access } from '@custodia/domain'

/** Whether somebody may know what is held: where records tell it, and where lists filter by it. */
export const mayKnowHolds = (access: Pick<Access, 'allowsGroupless'>): boolean =>
  access.allowsGroupless(api.listLegalHolds.action)
