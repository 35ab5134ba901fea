import { BATCH_LIMIT, type GpsMeta, REPORTS_BODY_LIMIT, type Telemetry } from '@custodia/contract'
import { newDek, sealMeta, wrapDek } from '@custodia/envelope'
import { batches } from './batches.ts'
import type { AccountKey } from './store.ts'

/** A report, with its unsealed fields. */
export interface PlainReport<Named> {
  /** What it is called in the associated data. */
  id: string
  kind?: string
  named: Named
  document: unknown
}

/** Reports of one call, and the key under which they are sealed. */
export interface SealedBatch<Named> {
  key: { key_id: string; encrypted_dek: string }
  sealed: (Named & { iv: string; meta: string })[]
}

/** Bytes of a body that unsealed fields may use. */
const MARGIN = 64 * 1024
const DAY = 86_400

/** The key of a day. */
export interface DayKey {
  day: number
  dek: Buffer
  key: SealedBatch<unknown>['key']
}

/**
 * The key for today's reports: the known one, or a new one. It is kept in memory only; after a restart the phone
 * makes another one.
 * @param now epoch seconds
 */
export function keyOfDay(known: DayKey | undefined, { key_id, kek }: AccountKey, now: number): DayKey {
  const day = Math.floor(now / DAY)
  if (known?.day === day && known.key.key_id === key_id) return known
  const dek = newDek()
  return { day, dek, key: { key_id, encrypted_dek: wrapDek(kek, dek) } }
}

/** Seals reports for as few calls as the server takes them in. */
export function sealedBatches<Named>(
  reports: readonly PlainReport<Named>[],
  { dek, key }: DayKey,
  { client }: AccountKey,
): SealedBatch<Named>[] {
  const weigh = ({ document }: PlainReport<Named>) =>
    Math.ceil(Buffer.byteLength(JSON.stringify(document)) / 3) * 4 + 512
  return batches(reports, BATCH_LIMIT, REPORTS_BODY_LIMIT - MARGIN, weigh).map((batch) => ({
    key,
    sealed: batch.map(({ id, kind, named, document }) => ({
      ...named,
      ...sealMeta(dek, { client, payload_reference: id, ...(kind !== undefined && { kind }) }, document),
    })),
  }))
}

/** A report of telemetry as it is sealed. */
export const telemetryOf = (
  report: Telemetry,
): PlainReport<Pick<Telemetry, 'telemetry_id' | 'telemetry_time'>> => {
  const { telemetry_id, telemetry_time } = report
  return { id: telemetry_id, kind: 'telemetry', named: { telemetry_id, telemetry_time }, document: report }
}

/** A position as it is sealed. */
export const positionOf = (position: GpsMeta): PlainReport<Pick<GpsMeta, 'gps_reference' | 'timestamp'>> => {
  const { gps_reference, timestamp } = position
  return { id: gps_reference, named: { gps_reference, timestamp }, document: position }
}
