import { ACCOUNT_ACTIONS } from '@custodia/contract'

/** Actions that concern no group. The build precomputes this: the endpoint table stays out of the page. */
export const ACCOUNT_NAMES: readonly string[] = [...ACCOUNT_ACTIONS]
