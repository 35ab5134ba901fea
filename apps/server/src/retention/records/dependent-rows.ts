import { AHEAD_SECONDS } from '@custodia/contract'
import { forgetUnusedKeys, lockKeys } from '../../devices/gps/key-store.ts'
import { forgetLatest } from '../../devices/gps/point-store.ts'
import { forgetNewest } from '../../devices/telemetry/telemetry-store.ts'
import type { Tx } from '../../ports/database/lease.ts'

/** An expiring row with the fields that dependent rows need. */
export interface ExpiringRow {
  device_id: number
  key_id: number
}

/** Rows that are deleted or changed with a record. */
export interface DependentRows {
  /** SQL: further columns of the record. */
  columns: string
  /** Takes locks before the records, in the order of other writers. */
  before?(tx: Tx, rows: readonly ExpiringRow[]): Promise<void>
  /** Runs after the deletion; `now` is database time. */
  after(tx: Tx, rows: readonly ExpiringRow[], now: number): Promise<void>
}

const each = (rows: readonly ExpiringRow[], name: keyof ExpiringRow) => [
  ...new Set(rows.map((row) => row[name])),
]

/** Deletes unused position keys and recomputes the last positions. */
export const WITH_POSITIONS: DependentRows = {
  columns: 'device_id, key_id',
  before: (tx, rows) => lockKeys(tx, each(rows, 'key_id')),
  async after(tx, rows, now) {
    await forgetLatest(tx, each(rows, 'device_id'), now + AHEAD_SECONDS)
    await forgetUnusedKeys(tx, each(rows, 'key_id'))
  },
}

/** Recomputes the newest telemetry report of a device. */
export const WITH_TELEMETRY: DependentRows = {
  columns: 'device_id, null::bigint as key_id',
  after: (tx, rows) => forgetNewest(tx, each(rows, 'device_id')),
}
