import { actionsOf, api, type Endpoint, loggedName } from '@custodia/contract'

/** What the log tells of a call. */
export interface LoggedCall {
  portal: Endpoint['portal']
  /** Whether something may be different afterwards. */
  isChange: boolean
  /** The permissions that it can need. */
  actions: readonly string[]
  /** As which calls of phones are logged: they need no permission. */
  logged: string
}

/** Ask what would be, or whether something works; nothing is different afterwards. */
const ASKING = /\/(review|test)$/

/** Every call that there is. The build works this out beforehand: the table of calls, with its schemas, stays out of the log’s page. */
export const CALLS: readonly LoggedCall[] = (Object.values(api) as Endpoint[]).map((row) => ({
  portal: row.portal,
  isChange: row.method !== 'GET' && !ASKING.test(row.path),
  actions: actionsOf(row),
  logged: loggedName(row),
}))
