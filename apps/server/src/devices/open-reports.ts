import { hash } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import { PARSE_OPTIONS, type ReportFailure, toFaults } from '@custodia/contract'
import { EnvelopeError, openMeta } from '@custodia/envelope'
import type * as z from 'zod/mini'
import type { AppContext } from '../app-context.ts'
import { isCheapToParse } from '../http/cheap-json.ts'
import type { DeviceContext } from '../http/context.ts'
import { reportKeyContext } from '../ports/keys/contexts.ts'
import { CiphertextRefused, KeyUnknown } from '../ports/keys/port.ts'
import { cacheEntry } from './cache-entry.ts'
import { findReportKey, type ReportKey } from './report-keys-store.ts'
import { hasPhoneKey } from '../device-records/store.ts'

/** A report as its phone handed it over, under the id that is bound into it. */
export interface SealedReport {
  id: string
  at: number
  iv: string
  meta: string
}

/** Reports of one call, and the key under which they are sealed. */
export interface SealedReports {
  key_id: string
  encrypted_dek: string
  reports: readonly SealedReport[]
}

/** A report that was opened and found good, or why it was not. */
export type OpenedReport<T> =
  | { sealed: SealedReport; report: T }
  | { sealed: SealedReport; reason: ReportFailure; path?: string }

interface Kind<T> {
  /** Of the associated data. */
  kind?: string
  schema: z.ZodMiniType<T>
  /** The id and time that stand sealed in a report: those under which it was handed over. */
  namedIn: (report: T) => { id: string; at: number }
}
type Keys = Pick<AppContext, 'keys'>
type From = Pick<DeviceContext, 'caller' | 'read'>

/** Keys of phones that a process remembers. */
const MOST = 10_000

/**
 * The keys under which phones seal what is not kept as they sealed it. A phone uses one for a day; opened once, it is remembered in memory
 * alone, for opening it takes milliseconds.
 */
export class PhoneDeks {
  readonly #keys: AppContext['keys']
  /** By phone and key as it was wrapped. */
  readonly #opened = new Map<string, Buffer>()

  constructor({ keys }: Keys) {
    this.#keys = keys
  }

  /** Undefined where it does not open, or is wrapped for a key that is not the client's. */
  async open({ caller, read }: From, sealed: SealedReports): Promise<Buffer | undefined> {
    if (!(await read((q) => hasPhoneKey(q, sealed.key_id)))) return undefined
    const name = `${caller.client_id} ${caller.device_id} ${digestOf(sealed).toString('base64')}`
    const dek = this.#opened.get(name) ?? (await unwrap(this.#keys, sealed))
    if (dek) cacheEntry(this.#opened, name, dek, MOST)
    return dek
  }
}

/** Opens sealed reports of a phone, each by itself: one that is no good spoils no other. Others are served between two reports. */
export const openReports = async <T>(
  deks: PhoneDeks,
  from: From,
  sealed: SealedReports,
  kind: Kind<T>,
): Promise<OpenedReport<T>[]> =>
  openEach(await deks.open(from, sealed), from.caller.client, sealed.reports, kind)

/**
 * As `openReports`, for reports that are kept as their phone sealed them. With them comes their key, for `keepReportKeys`; none where it does
 * not open.
 */
export async function openKeptReports<T>(
  { keys }: Keys,
  { caller, read }: From,
  sealed: SealedReports,
  kind: Kind<T>,
): Promise<{ key: ReportKey | undefined; opened: OpenedReport<T>[] }> {
  const { client, device_id, device_reference } = caller
  const digest = digestOf(sealed)
  const { isOwn, known } = await read(async (q) => ({
    isOwn: await hasPhoneKey(q, sealed.key_id),
    known: await findReportKey(q, device_id, digest),
  }))
  const context = reportKeyContext(client, device_reference)
  // Opened before, it takes microseconds in place of milliseconds.
  const dek = known ? await keys.unwrap(known, context) : isOwn ? await unwrap(keys, sealed) : undefined
  try {
    const opened = await openEach(dek, client, sealed.reports, kind)
    return {
      key: dek && { device_id, digest, wrapped_key: known ?? (await keys.wrap(dek, context)) },
      opened,
    }
  } finally {
    dek?.fill(0)
  }
}

/** Tells keys apart as phones wrapped them. */
const digestOf = ({ key_id, encrypted_dek }: SealedReports): Buffer =>
  hash('sha256', `${key_id} ${encrypted_dek}`, 'buffer')

async function unwrap(
  keys: AppContext['keys'],
  { key_id, encrypted_dek }: SealedReports,
): Promise<Buffer | undefined> {
  try {
    return await keys.unwrapPhoneDek(key_id, encrypted_dek)
  } catch (error) {
    if (error instanceof CiphertextRefused || error instanceof KeyUnknown) return undefined
    throw error
  }
}

/** Opens each report under their key. */
async function openEach<T>(
  dek: Buffer | undefined,
  client: string,
  reports: readonly SealedReport[],
  kind: Kind<T>,
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
  { kind, schema, namedIn }: Kind<T>,
): OpenedReport<T> {
  let json: unknown
  try {
    const identity = { client, payload_reference: sealed.id, ...(kind !== undefined && { kind }) }
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
  const { id, at } = namedIn(parsed.data)
  if (id !== sealed.id || at !== sealed.at) return { sealed, reason: 'meta_mismatch' }
  return { sealed, report: parsed.data }
}
