import { getActions, api, type Endpoint, loggedName } from '@custodia/contract'

/** Facts of a call for the log. */
export interface LoggedCall {
  portal: Endpoint['portal']
  /** Whether it may change data. */
  isChange: boolean
  /** Possible permissions. */
  actions: readonly string[]
  /** Names of device calls in the log: they need no permission. */
  logged: string
}

/** Preview and test calls: they change nothing. */
const ASKING = /\/(review|test)$/

/** All calls. The build precomputes this: the endpoint table with its schemas stays out of the log's page. */
export const CALLS: readonly LoggedCall[] = (Object.values(api) as Endpoint[]).map((row) => ({
  portal: row.portal,
  isChange: row.method !== 'GET' && !ASKING.test(row.path),
  actions: getActions(row),
  logged: loggedName(row),
}))
