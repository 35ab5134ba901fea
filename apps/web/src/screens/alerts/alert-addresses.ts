import type { ListSearch } from '../../components/lists/list-search.ts'

/** Key of an alert over all clients: a reference is unique within its client only. */
export const alertKey = (alert: { client: string; alert_reference: string }): string =>
  `${alert.client}/${alert.alert_reference}`

/** Parses a key; undefined when invalid. */
export function fromAlertKey(key: string): { client: string; alert_reference: string } | undefined {
  const [client, alert_reference, ...rest] = key.split('/')
  if (!client || !alert_reference || rest.length > 0) return undefined
  return { client, alert_reference }
}

/** Groups keys by client, for clear and dismiss. */
export function byClient(keys: readonly string[]): Map<string, string[]> {
  const references = new Map<string, string[]>()
  for (const key of keys) {
    const alert = fromAlertKey(key)
    if (alert === undefined) continue
    references.set(alert.client, [...(references.get(alert.client) ?? []), alert.alert_reference])
  }
  return references
}

/** Open alerts: the default view. `/dashboard/account/alerts?states=Triggered&is_dismissed=false` */
export const OPEN_ALERTS = {
  view: 'open',
  states: ['Triggered'],
  is_dismissed: false,
} satisfies ListSearch & {
  states: ['Triggered']
}

/** Marks the view without filters, which would otherwise mean the default view. */
const ALL_ALERTS = 'all'

/** Address of a search; a search without filters is explicit, as the plain address means open alerts. */
export function alertAddress(search: ListSearch): ListSearch {
  const { preview: _, ...rest } = search
  return Object.keys(rest).length > 0 ? search : { ...search, view: ALL_ALERTS }
}

/** Search of an address, without the marker. */
export function alertSearch(search: ListSearch): ListSearch {
  const { view, ...rest } = search
  return view === ALL_ALERTS ? rest : search
}

/** A link to a signed-in page of the portal; undefined for anything else. */
export function portalPath(link: string | undefined): string | undefined {
  if (link === undefined || !/^\/(?:dashboard|internal)(?:[/?#]|$)/.test(link)) return undefined
  const url = new URL(link, 'https://portal.invalid')
  // Rejects `..` that leaves the pages.
  return /^\/(?:dashboard|internal)(?:\/|$)/.test(url.pathname)
    ? `${url.pathname}${url.search}${url.hash}`
    : undefined
}
