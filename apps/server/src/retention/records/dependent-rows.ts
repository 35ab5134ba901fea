import { forgetUnusedKeys, lockKeys } from '../../devices/reports/gps-store.ts'
import { renewNewest, type ReportKind } from '../../devices/reports/store.ts'
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

/** Recomputes the newest reports of a device, and deletes the keys of a day without positions. */
export function dependentRows(kind: ReportKind): DependentRows {
  const hasDayKeys = kind.columns.key_id !== undefined
  return {
    columns: `device_id, ${hasDayKeys ? '' : 'null::bigint as '}key_id`,
    ...(hasDayKeys && { before: (tx, rows) => lockKeys(tx, each(rows, 'key_id')) }),
    async after(tx, rows) {
      await renewNewest(tx, kind, each(rows, 'device_id'))
      if (hasDayKeys) await forgetUnusedKeys(tx, each(rows, 'key_id'))
    },
  }
}
