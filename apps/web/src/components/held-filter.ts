import { msg } from '@lingui/core/macro'

/** Filter for records on legal hold, for permitted users. */
export const HELD_FILTER = {
  kind: 'flag',
  name: 'is_held',
  label: msg`On legal hold only`,
  action: 'account.legal_holds:list',
} as const
