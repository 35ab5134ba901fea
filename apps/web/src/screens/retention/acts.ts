import { msg } from '@lingui/core/macro'

/** Stages of retention: deletion (restorable), then destruction. */
export const ACTS = ['deleted', 'destroyed'] as const
export type Act = (typeof ACTS)[number]

export const ACT_WORDS = { deleted: msg`Deleted`, destroyed: msg`Permanently destroyed` } as const
