import type { Tx } from '../../ports/database/lease.ts'

/** Stores the id of a device alert. False for a repeated id. */
export async function noteAlert(tx: Tx, device_id: number, alert_id: string, at: number): Promise<boolean> {
  const { rowCount } = await tx.query(
    'insert into device_alerts (client_id, device_id, alert_id, at) values ($1, $2, $3, $4) on conflict do nothing',
    [tx.client_id, device_id, alert_id, at],
    'device_alert_note',
  )
  return rowCount === 1
}

/** Deletes ids of alerts raised before a time. */
export async function forgetAlerts(tx: Tx, before: number): Promise<void> {
  await tx.query('delete from device_alerts where client_id = $1 and at < $2', [tx.client_id, before])
}
