import { msg } from '@lingui/core/macro'

/** What a legal hold keeps, alone: for those who may know. */
export const HELD_FILTER = {
  kind: 'flag',
  name: 'is_held',
  label: msg`On legal hold only`,
  action: 'account.legal_holds:list',
} as const
