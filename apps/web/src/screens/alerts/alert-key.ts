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
