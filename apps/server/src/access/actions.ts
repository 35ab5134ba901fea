import { actionsOf, api, type Endpoint } from '@custodia/contract'

/** The closed list of actions, from the endpoint table. */
export const ACTIONS: readonly string[] = [
  ...new Set((Object.values(api) as Endpoint[]).flatMap(actionsOf)),
].sort()
