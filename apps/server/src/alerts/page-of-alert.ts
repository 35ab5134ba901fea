const listIn = (portal: string) => `${portal}/dashboard/account/alerts`

/**
 * Where an alert is read; null: the list of alerts.
 * @param portal origin of the administration's portal
 */
export const pageOfAlert = (portal: string, alert_reference: string | null): string =>
  alert_reference === null ? listIn(portal) : `${listIn(portal)}?preview=${alert_reference}`

/** The list of the open alerts of an incident. */
export const pageOfIncident = (portal: string, alert_scope: string, incident_kind: string): string =>
  `${listIn(portal)}?states=Triggered&scopes=${alert_scope}&incident_kinds=${incident_kind}`
