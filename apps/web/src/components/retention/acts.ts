import { msg } from '@lingui/core/macro'

/** What becomes of recordings by a policy: first they can be restored, then they are gone for good. */
export const ACTS = ['deleted', 'destroyed'] as const
export type Act = (typeof ACTS)[number]

export const ACT_WORDS = { deleted: msg`Deleted`, destroyed: msg`Permanently destroyed` } as const
