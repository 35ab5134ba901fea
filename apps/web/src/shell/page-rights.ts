import { type Profile, seesService, type Service } from '@custodia/contract'

/** The rights of the signed-in user. */
export type Reader = Pick<Profile, 'actions' | 'payload_types'>

export interface PageRights {
  action: string
  /** Permissions of its tabs; each opens the page for that tab. */
  tabs?: Readonly<Record<string, string>>
  /** The service whose payloads the page shows: the reader may see at least one of its types. */
  service?: Service
}

/** The right that a reader lacks: an action, or all types of a service. */
export type MissingRight = { action: string } | { service: Service }

/**
 * The right that `reader` lacks for a page; undefined when the page opens. A tab needs its own permission; without a
 * tab, the page's or any tab's is enough.
 */
export function missingRight(
  { action, tabs = {}, service }: PageRights,
  { actions, payload_types }: Reader,
  tab = '',
): MissingRight | undefined {
  const ofTab = tabs[tab]
  const needed = ofTab === undefined ? [action, ...Object.values(tabs)] : [ofTab]
  if (!needed.some((each) => actions.includes(each))) return { action: needed[0] ?? action }
  return service === undefined || seesService(payload_types, service) ? undefined : { service }
}
