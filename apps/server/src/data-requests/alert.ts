import type { AlertEvent } from '../alerts/raise.ts'

/** The alert of one open request. */
export const alertOf = (
  data_request_id: string,
  now: number,
): Pick<AlertEvent, 'alert_scopes' | 'alert_targets' | 'alert_key' | 'now'> => ({
  alert_scopes: ['ops'],
  alert_targets: ['client'],
  alert_key: `data_request ${data_request_id}`,
  now,
})
