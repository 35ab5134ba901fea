import { randomBytes } from 'node:crypto'
import type { GpsMeta } from '@custodia/contract'
import { associatedData, EnvelopeError, unwrapSecret, wrapSecret } from '@custodia/envelope'
import type { AppContext } from '../../app-context.ts'
import type { DeviceCaller } from '../../http/context.ts'
import { cacheEntry } from '../../ports/cache.ts'
import { gpsKeyContext } from '../../ports/keys/contexts.ts'
import { CiphertextRefused, KeyUnknown } from '../../ports/keys/port.ts'
import { findDayKeys, insertDayKeys, type StoredKey } from './gps-store.ts'

/** Maximum number of cached keys per process. */
const MAX = 10_000

/** A decrypted position key. */
export interface DayKey {
  key_id: number
  key: Buffer
}

/** Seconds per day. */
const DAY = 86_400
/** UTC day of a time, in days since 1970-01-01: positions of one device and day share a key. */
export const getDay = (timestamp: number): number => Math.floor(timestamp / DAY)

/** Position keys, one per device and day. Callers check in the database that a cached key was not deleted. */
export class DayKeys {
  readonly #ctx: Pick<AppContext, 'db' | 'keys' | 'now'>
  /** By client and id; insertion order makes it an LRU queue. */
  readonly #opened = new Map<string, Buffer>()
  /** Sealing keys by client, device and day. */
  readonly #sealing = new Map<string, DayKey>()

  constructor(ctx: Pick<AppContext, 'db' | 'keys' | 'now'>) {
    this.#ctx = ctx
  }

  /** Returns the sealing keys of these days. Missing keys are created and durable when this resolves. */
  async sealing(device: DeviceCaller, days: readonly number[]): Promise<Map<number, DayKey>> {
    const found = new Map(days.map((day) => [day, this.#sealing.get(getName(device, day))]))
    const unknown = days.filter((day) => !found.get(day))
    if (unknown.length > 0) {
      for (const stored of await this.#findOrMake(device, unknown)) {
        const key = { key_id: stored.key_id, key: await this.open(device, stored) }
        found.set(stored.day, key)
        cacheEntry(this.#sealing, getName(device, stored.day), key, MAX)
      }
    }
    return found as Map<number, DayKey>
  }

  /** Decrypts a key. Throws CiphertextRefused or KeyUnknown when it is damaged. */
  async open(of: { client_id: number; client: string }, stored: StoredKey): Promise<Buffer> {
    const { key_id, device_reference, day, wrapped_key } = stored
    const name = `${of.client_id} ${key_id}`
    const key =
      this.#opened.get(name) ??
      (await this.#ctx.keys.unwrap(wrapped_key, gpsKeyContext(of.client, device_reference, day)))
    cacheEntry(this.#opened, name, key, MAX)
    return key
  }

  /** As `open`, but undefined for a damaged key. */
  async tryOpen(of: { client_id: number; client: string }, stored: StoredKey): Promise<Buffer | undefined> {
    try {
      return await this.open(of, stored)
    } catch (error) {
      if (error instanceof CiphertextRefused || error instanceof KeyUnknown) return undefined
      throw error
    }
  }

  /** Removes a key from the cache after its deletion. */
  forget(device: Pick<DeviceCaller, 'client_id' | 'device_id'>, day: number): void {
    this.#sealing.delete(getName(device, day))
  }

  async #findOrMake(device: DeviceCaller, days: readonly number[]): Promise<StoredKey[]> {
    const { db, keys, now } = this.#ctx
    const { client, client_id, device_id, device_reference } = device
    const there = await db.read(client_id, (q) => findDayKeys(q, device_id, days))
    const missing = days.filter((day) => !there.some((key) => key.day === day))
    if (missing.length === 0) return there
    const made = await Promise.all(
      missing.map(async (day) => {
        const key = randomBytes(32)
        const wrapped_key = await keys.wrap(key, gpsKeyContext(client, device_reference, day))
        key.fill(0)
        return { day, wrapped_key }
      }),
    )
    // If another process inserted a key first, that key counts.
    return db.write(client_id, async (tx) => {
      await insertDayKeys(tx, device_id, made, now())
      return findDayKeys(tx, device_id, days)
    })
  }
}

const getName = (
  { client_id, device_id }: Pick<DeviceCaller, 'client_id' | 'device_id'>,
  day: number,
): string => `${client_id} ${device_id} ${day}`

/** Sealed fields of a position, in sealing order. */
export type SealedPosition = Required<Omit<GpsMeta, 'gps_reference' | 'timestamp'>>

/** Associated data: under another client, reference or time the position does not open. */
export interface Place {
  client: string
  gps_reference: string
  timestamp: number
}

const getAad = ({ client, gps_reference, timestamp }: Place): Buffer =>
  associatedData({ client, payload_reference: gps_reference, kind: `gps ${timestamp}` })

/** Seals a position under the key of its device and day. */
export const sealFix = (key: Buffer, place: Place, fix: SealedPosition): Buffer =>
  wrapSecret(key, Buffer.from(JSON.stringify(fix)), getAad(place))

/** Opens a stored position; undefined when it does not open. */
export function openFix(key: Buffer, place: Place, sealed: Buffer): SealedPosition | undefined {
  try {
    return JSON.parse(unwrapSecret(key, sealed, getAad(place)).toString()) as SealedPosition
  } catch (error) {
    if (error instanceof EnvelopeError) return undefined
    throw error
  }
}

/** The stored fields of an uploaded position. */
export const getFix = ({
  latitude,
  longitude,
  accuracy = null,
  altitude = null,
  timezone,
  provider = null,
}: GpsMeta): SealedPosition => ({ latitude, longitude, accuracy, altitude, timezone, provider })
