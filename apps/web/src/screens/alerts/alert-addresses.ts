import { type Alert, alertEndpoints } from '@custodia/contract'
import { callSearch } from '../../components/lists/call-search.ts'
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

/** Open alerts, one row per incident: the default view. */
export const OPEN_ALERTS = {
  view: 'open',
  states: ['Triggered'],
  is_dismissed: false,
  is_folded: true,
} satisfies ListSearch & {
  states: ['Triggered']
}

const KEPT = ['search', 'severities', 'alert_types', 'is_dismissed'] as const
const readKept = callSearch(
  alertEndpoints.listAlerts.query,
  KEPT.map((name) => ({ name, kind: 'choice' })),
)

/**
 * Search for the single alerts of an incident.
 * @param raw search of the folded list, whose filters still apply
 */
export const incidentSearch = (raw: object, { alert_scope, incident }: Alert): ListSearch => ({
  ...readKept(raw),
  states: ['Triggered'],
  scopes: [alert_scope],
  incident_kinds: incident === undefined ? [] : [incident.incident_kind],
})

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
