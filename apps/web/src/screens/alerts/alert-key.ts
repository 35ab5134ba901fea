/** The key of an alert in a list over all clients: references count within their client only. */
export const alertKey = (alert: { client: string; alert_reference: string }): string =>
  `${alert.client}/${alert.alert_reference}`

/** What a key names; undefined when it is none. */
export function fromAlertKey(key: string): { client: string; alert_reference: string } | undefined {
  const [client, alert_reference, ...rest] = key.split('/')
  if (!client || !alert_reference || rest.length > 0) return undefined
  return { client, alert_reference }
}

/** Keys by client, as the calls that clear and dismiss take them. */
export function byClient(keys: readonly string[]): Map<string, string[]> {
  const references = new Map<string, string[]>()
  for (const key of keys) {
    const alert = fromAlertKey(key)
    if (alert === undefined) continue
    references.set(alert.client, [...(references.get(alert.client) ?? []), alert.alert_reference])
  }
  return references
}
