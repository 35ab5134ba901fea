import { AHEAD_SECONDS } from '@custodia/contract'
import { forgetUnusedKeys, lockKeys } from '../../devices/gps/key-store.ts'
import { forgetLatest } from '../../devices/gps/point-store.ts'
import { forgetNewest } from '../../devices/telemetry/telemetry-store.ts'
import type { Tx } from '../../ports/database/lease.ts'

/** A row that is about to go, or is gone, as far as its companions look at it. */
export interface ExpiringRow {
  device_id: number
  key_id: number
}

/** What hangs on records, and goes or changes with them. */
export interface DependentRows {
  /** SQL: further columns that it asks of the records. */
  columns: string
  /** Locks what must be locked before the records themselves, in the order of who writes both. */
  before?(tx: Tx, rows: readonly ExpiringRow[]): Promise<void>
  /** Once the records are gone, at `now` by the clock of the database. */
  after(tx: Tx, rows: readonly ExpiringRow[], now: number): Promise<void>
}

const each = (rows: readonly ExpiringRow[], name: keyof ExpiringRow) => [
  ...new Set(rows.map((row) => row[name])),
]

/** A day whose positions of a phone are all gone needs its key no more; where a phone was last may be one that is older. */
export const WITH_POSITIONS: DependentRows = {
  columns: 'device_id, key_id',
  before: (tx, rows) => lockKeys(tx, each(rows, 'key_id')),
  async after(tx, rows, now) {
    await forgetLatest(tx, each(rows, 'device_id'), now + AHEAD_SECONDS)
    await forgetUnusedKeys(tx, each(rows, 'key_id'))
  },
}

/** What a phone told last goes with the report that told it. */
export const WITH_TELEMETRY: DependentRows = {
  columns: 'device_id, null::bigint as key_id',
  after: (tx, rows) => forgetNewest(tx, each(rows, 'device_id')),
}
