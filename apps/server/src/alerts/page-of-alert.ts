/**
 * Where an alert is read; null: the list of alerts.
 * @param portal origin of the administration's portal
 */
export function pageOfAlert(portal: string, alert_reference: string | null): string {
  const page = `${portal}/dashboard/account/alerts`
  return alert_reference === null ? page : `${page}?preview=${alert_reference}`
}
