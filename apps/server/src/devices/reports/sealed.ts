import { hash } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import { PARSE_OPTIONS, type ReportFailure, type ReportOutcome, toFaults } from '@custodia/contract'
import { EnvelopeError, openMeta, sealMeta } from '@custodia/envelope'
import type * as z from 'zod/mini'
import type { AppContext } from '../../app-context.ts'
import { hasKek } from '../../device-records/store.ts'
import { isCheapToParse } from '../../http/cheap-json.ts'
import type { DeviceContext } from '../../http/context.ts'
import { cacheEntry } from '../../ports/cache.ts'
import { reportKeyContext } from '../../ports/keys/contexts.ts'
import { CiphertextRefused, KeyUnknown } from '../../ports/keys/port.ts'
import { findReportKey, type ReportKey, type ReportKind, type StoredStatus } from './store.ts'

/** A sealed report and the id that its associated data contains. */
interface SealedReport {
  id: string
  at: number
  iv: string
  meta: string
}

/** Reports of one call and the key that seals them. */
interface SealedReports {
  key_id: string
  encrypted_dek: string
  reports: readonly SealedReport[]
}

/** An opened and valid report, or the reason of its failure. */
export type OpenedReport<T> =
  | { sealed: SealedReport; report: T }
  | { sealed: SealedReport; reason: ReportFailure; path?: string }

/** A kind that devices seal, and what its content must be. */
export interface SealedKind<T> {
  kind: ReportKind
  schema: z.ZodMiniType<T>
  /** Kind in the associated data. */
  sealed_as: string
}

/** A kind that is stored sealed. */
interface KeptKind<T> extends SealedKind<T> {
  /** The part of a report that stays sealed, because no column holds it. */
  getPrivate(report: T): object
}

/** The reports of a call, whose id and time are named as in their kind. */
export const sealedReports = (
  { reference, list }: ReportKind,
  { key_id, encrypted_dek }: Pick<SealedReports, 'key_id' | 'encrypted_dek'>,
  items: readonly { iv: string; meta: string; [name: string]: unknown }[],
): SealedReports => ({
  key_id,
  encrypted_dek,
  reports: items.map(({ iv, meta, ...names }) => ({
    id: names[reference] as string,
    at: names[list.time] as number,
    iv,
    meta,
  })),
})

/** The outcome of each report for its device; `statuses` of the readable ones, in order. */
export function getOutcomes(
  opened: readonly OpenedReport<unknown>[],
  statuses: readonly StoredStatus[],
): (ReportOutcome & { id: string })[] {
  const stored = statuses.values()
  return opened.map((each) => {
    const { id } = each.sealed
    if ('report' in each) return { id, status: stored.next().value as StoredStatus }
    const { reason, path } = each
    return { id, status: 'failed', reason, ...(path !== undefined && { path }) }
  })
}

type Keys = Pick<AppContext, 'keys'>
type From = Pick<DeviceContext, 'caller' | 'read'>

/** Maximum number of cached device keys per process. */
const MAX = 10_000

/**
 * Keys of device reports. A device uses one per day; decryption takes milliseconds, so an LRU cache in memory keeps
 * them.
 */
export class DeviceDeks {
  readonly #keys: AppContext['keys']
  /** By device and wrapped key. */
  readonly #opened = new Map<string, Buffer>()

  constructor({ keys }: Keys) {
    this.#keys = keys
  }

  /** Undefined when it does not open or is wrapped for another client's key. */
  async open({ caller, read }: From, sealed: SealedReports): Promise<Buffer | undefined> {
    if (!(await read((q) => hasKek(q, sealed.key_id)))) return undefined
    const name = `${caller.client_id} ${caller.device_id} ${getDigest(sealed).toString('base64')}`
    const dek = this.#opened.get(name) ?? (await unwrap(this.#keys, sealed))
    if (dek) cacheEntry(this.#opened, name, dek, MAX)
    return dek
  }
}

/** Opens sealed reports one by one; an invalid report does not affect others. Yields to other requests between two. */
export const openReports = async <T>(
  deks: DeviceDeks,
  from: From,
  sealed: SealedReports,
  kind: SealedKind<T>,
): Promise<OpenedReport<T>[]> =>
  openEach(await deks.open(from, sealed), from.caller.client, sealed.reports, kind)

/**
 * As `openReports`, for reports that are stored sealed: the private part sealed anew. Also returns the key for
 * `keepReportKeys`; none when it does not open.
 */
export async function openKeptReports<T>(
  { keys }: Keys,
  { caller, read }: From,
  sealed: SealedReports,
  kind: KeptKind<T>,
): Promise<{ key: ReportKey | undefined; opened: OpenedReport<T>[] }> {
  const { client, device_id, device_reference } = caller
  const digest = getDigest(sealed)
  const { isOwn, known } = await read(async (q) => ({
    isOwn: await hasKek(q, sealed.key_id),
    known: await findReportKey(q, device_id, digest),
  }))
  const context = reportKeyContext(client, device_reference)
  // A stored key unwraps in microseconds instead of milliseconds.
  const dek = known ? await keys.unwrap(known, context) : isOwn ? await unwrap(keys, sealed) : undefined
  try {
    const opened = (await openEach(dek, client, sealed.reports, kind)).map((each) => {
      if (!dek || !('report' in each)) return each
      const { id, at } = each.sealed
      const identity = { client, payload_reference: id, kind: kind.sealed_as }
      return { ...each, sealed: { id, at, ...sealMeta(dek, identity, kind.getPrivate(each.report)) } }
    })
    return {
      key: dek && { device_id, digest, wrapped_key: known ?? (await keys.wrap(dek, context)) },
      opened,
    }
  } finally {
    dek?.fill(0)
  }
}

/** Digest that identifies a wrapped key. */
const getDigest = ({ key_id, encrypted_dek }: SealedReports): Buffer =>
  hash('sha256', `${key_id} ${encrypted_dek}`, 'buffer')

async function unwrap(
  keys: AppContext['keys'],
  { key_id, encrypted_dek }: SealedReports,
): Promise<Buffer | undefined> {
  try {
    return await keys.unwrapDeviceDek(key_id, encrypted_dek)
  } catch (error) {
    if (error instanceof CiphertextRefused || error instanceof KeyUnknown) return undefined
    throw error
  }
}

/** Opens each report under the key. */
async function openEach<T>(
  dek: Buffer | undefined,
  client: string,
  reports: readonly SealedReport[],
  kind: SealedKind<T>,
): Promise<OpenedReport<T>[]> {
  if (!dek) return reports.map((sealed) => ({ sealed, reason: 'undecryptable_key' }))
  const opened: OpenedReport<T>[] = []
  for (const sealed of reports) {
    if (opened.length > 0) await turn()
    opened.push(openOne(dek, client, sealed, kind))
  }
  return opened
}

function openOne<T>(
  dek: Buffer,
  client: string,
  sealed: SealedReport,
  { kind: { reference, list }, schema, sealed_as }: SealedKind<T>,
): OpenedReport<T> {
  let json: unknown
  try {
    const identity = { client, payload_reference: sealed.id, kind: sealed_as }
    json = openMeta(dek, identity, sealed.iv, sealed.meta, isCheapToParse)
  } catch (error) {
    if (!(error instanceof EnvelopeError)) throw error
    return { sealed, reason: error.code === 'out_of_range' ? 'malformed_meta' : 'undecryptable_meta' }
  }
  const parsed = schema.safeParse(json, PARSE_OPTIONS)
  if (!parsed.success) {
    const path = toFaults(parsed.error.issues)[0]?.path
    return { sealed, reason: 'malformed_meta', ...(path && { path }) }
  }
  const named = parsed.data as Record<string, unknown>
  if (named[reference] !== sealed.id || named[list.time] !== sealed.at)
    return { sealed, reason: 'meta_mismatch' }
  return { sealed, report: parsed.data }
}
