import { migration } from '@custodia/domain'
import type { AppContext } from '../app-context.ts'
import { readKek } from '../device-records/store.ts'
import { newId } from '../http/new-id.ts'
import { completeLegacy, findEnvelope, type LegacyPayload, storeLegacy } from '../payloads/intake/legacy.ts'
import { originalKey } from '../payloads/original-key.ts'
import type { Tx } from '../ports/database/lease.ts'
import { keepDeviceDek, type KeptDeviceDek, openDeviceDek } from '../ports/keys/device-dek.ts'
import {
  addGroups,
  findLoaded,
  findOwners,
  noteLoaded,
  reserve,
  saveDevices,
  saveUsers,
} from './known-store.ts'
import type { Progress } from './progress.ts'
import { type SealTarget, sealRow, storeData } from './seal.ts'
import type { NewResult } from './work-store.ts'

type Act = NonNullable<migration.PlannedRow['act']>
type PayloadAct = Extract<Act, { kind: 'payload' }>
interface DecidedRow {
  result: NewResult
  act: Act | undefined
}
type Parts = Pick<AppContext, 'db' | 'keys' | 'objects' | 'jobs' | 'now'>
interface Owner {
  client_id: number
  client: string
  migration_reference: string
}
interface Options {
  plan: migration.MigrationPlan
  folder: string
  media: ReadonlyMap<string, { size: number; sha256: string }>
  isDry: boolean
  by: string
  progress: Progress
}

/** A sealed payload with its key slot. */
interface SealedPayload {
  act: PayloadAct
  legacy: string
  payload_reference: string
  announcement: LegacyPayload['announcement']
  fingerprint: Buffer
  kept: KeptDeviceDek & { dek_key: Buffer }
  source_sha256: string | null
}
/** Data of a payload that was known without data. */
interface CompletedPayload {
  payload_id: number
  legacy: string
  checksum: string
  size: number
  source_sha256: string
}

/** Payloads sealed in parallel. */
const AT_ONCE = 4

/** Decides about rows and imports them; a dry run only decides. */
export class Importer {
  readonly #ctx: Parts
  readonly #owner: Owner
  readonly #options: Options

  constructor(ctx: Parts, owner: Owner, options: Options) {
    this.#ctx = ctx
    this.#owner = owner
    this.#options = options
  }

  /** Decision for each row; undefined for an unreadable one. */
  async decide(
    kind: migration.MigrationKind,
    rows: readonly (migration.Cells | undefined)[],
  ): Promise<(migration.PlannedRow | undefined)[]> {
    const { plan } = this.#options
    if (kind === 'Group') return rows.map((cells) => cells && plan.group(cells))
    if (kind === 'DeviceUser') return rows.map((cells) => cells && plan.user(cells))
    if (kind === 'Device') return rows.map((cells) => cells && plan.device(cells))
    const column = migration.columnName('LegacyPayloadReference')
    const named = rows.flatMap((cells) => (typeof cells?.[column] === 'string' ? [cells[column].trim()] : []))
    const loaded = await this.#ctx.db.read(this.#owner.client_id, (q) => findLoaded(q, named))
    return rows.map(
      (cells) =>
        cells &&
        plan.payload(cells, (reference) => {
          const found = loaded.get(reference)
          return found && (found.is_awaited ? 'awaited' : 'whole')
        }),
    )
  }

  write<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.#ctx.db.write(this.#owner.client_id, work)
  }

  /** Imports decided rows and stores them with the results. */
  async carryOut<T>(
    decided: readonly DecidedRow[],
    keep: (tx: Tx, results: NewResult[]) => Promise<T>,
  ): Promise<T> {
    const { client_id } = this.#owner
    const results = decided.map(({ result }) => result)
    if (this.#options.isDry) return this.#ctx.db.write(client_id, (tx) => keep(tx, results))
    const acts = decided.flatMap(({ act }) => act ?? [])
    const recordings = acts.filter((act) => act.kind === 'payload')
    const sealed = await this.#seal(recordings.filter(({ is_known }) => !is_known))
    const completed = await this.#complete(recordings.filter(({ is_known }) => is_known))
    const digests = new Map(
      [...sealed, ...completed].map(({ legacy, source_sha256 }) => [legacy, source_sha256]),
    )
    const slots = sealed.map(({ kept }) => kept.dek_key)
    try {
      return await this.#ctx.db.write(client_id, async (tx) => {
        await this.#fleet(tx, acts)
        const ids = await this.#payloads(tx, sealed, completed)
        return keep(
          tx,
          decided.map(({ result, act }) =>
            act?.kind === 'payload'
              ? {
                  ...result,
                  payload_id: ids.get(act.row.legacy_payload_reference) ?? null,
                  source_sha256: digests.get(act.row.legacy_payload_reference) ?? null,
                  media: act.row.data_follows ? [] : [...new Set(act.row.media)],
                }
              : result,
          ),
        )
      })
    } catch (error) {
      // Either nothing is committed, or only the answer was lost: then the slots are in use and stay.
      const found = await this.#ctx.db
        .read(client_id, (q) =>
          findLoaded(
            q,
            sealed.map(({ legacy }) => legacy),
          ),
        )
        .catch(() => undefined)
      if (found?.size === 0) await this.#ctx.keys.forget(slots)
      throw error
    }
  }

  async #fleet(tx: Tx, acts: readonly Act[]): Promise<void> {
    const { migration_reference } = this.#owner
    const run = { migration_reference, now: this.#ctx.now(), by: this.#options.by }
    await addGroups(
      tx,
      acts.filter((act) => act.kind === 'group'),
      run,
    )
    await saveUsers(
      tx,
      acts.filter((act) => act.kind === 'user'),
      run,
    )
    await saveDevices(
      tx,
      acts.filter((act) => act.kind === 'device'),
      run,
    )
  }

  /** Resolves to payload ids by legacy name. */
  async #payloads(
    tx: Tx,
    sealed: readonly SealedPayload[],
    completed: readonly CompletedPayload[],
  ): Promise<Map<string, number>> {
    const ids = new Map(completed.map(({ legacy, payload_id }) => [legacy, payload_id]))
    const now = this.#ctx.now()
    const { by } = this.#options
    if (sealed.length > 0) {
      const owners = await findOwners(
        tx,
        sealed.map(({ act }) => act.device_user_reference),
        sealed.map(({ act }) => act.device_reference),
      )
      const made = await storeLegacy(
        this.#ctx,
        tx,
        by,
        sealed.map(({ act, announcement, fingerprint, kept }) => {
          const holder = owners.users.get(act.device_user_reference)
          const device_id = owners.devices.get(act.device_reference)
          if (!holder || device_id === undefined)
            throw new Error('the owner of a payload was deleted during the import')
          return {
            announcement,
            fingerprint,
            kept,
            holder,
            now,
            device: { client_id: tx.client_id, device_id, device_reference: act.device_reference },
            state: act.row.data_follows ? ('Recorded' as const) : ('Uploaded' as const),
          }
        }),
      )
      for (const { legacy, payload_reference } of sealed) {
        const payload_id = made.get(payload_reference)
        if (payload_id === undefined) throw new Error('a payload was not stored')
        ids.set(legacy, payload_id)
      }
      const awaited = new Set(sealed.flatMap(({ act, legacy }) => (act.row.data_follows ? [legacy] : [])))
      await noteLoaded(
        tx,
        sealed.map(({ legacy }) => ({
          legacy,
          payload_id: ids.get(legacy) ?? 0,
          is_awaited: awaited.has(legacy),
        })),
      )
    }
    for (const { payload_id, legacy, checksum, size } of completed) {
      if (!(await completeLegacy(this.#ctx, tx, payload_id, { checksum, size }, { now, by })))
        throw new Error('a payload no longer waits for its data')
      await noteLoaded(tx, [{ legacy, payload_id, is_awaited: false }])
    }
    return ids
  }

  async #sealing(): Promise<SealTarget> {
    const { client, client_id } = this.#owner
    const key = await this.#ctx.db.read(client_id, readKek)
    if (!key) throw new Error('the client has no payload key')
    const { folder, media, progress } = this.#options
    return { ctx: this.#ctx, client, key, folder, media, progress }
  }

  /** Seals under references that are stored first, so that remains of a killed process are removed. */
  async #seal(acts: readonly PayloadAct[]): Promise<SealedPayload[]> {
    if (acts.length === 0) return []
    const { client, client_id, migration_reference } = this.#owner
    const { objects, keys } = this.#ctx
    const sealing = await this.#sealing()
    const names = await this.#ctx.db.write(client_id, (tx) =>
      reserve(
        tx,
        migration_reference,
        acts.map(({ row }) => ({
          legacy: row.legacy_payload_reference,
          payload_reference: newId(),
          legacy_processed_time: row.legacy_processed_time ?? null,
        })),
      ),
    )
    return atOnce(acts, async (act) => {
      const legacy = act.row.legacy_payload_reference
      const name = names.get(legacy)
      if (!name) throw new Error('a reference was not stored')
      const { payload_reference, is_new } = name
      if (!is_new) await sealing.progress.orCut(objects.delete(originalKey(client, payload_reference, 0)))
      const { announcement, fingerprint, source_sha256 } = await sealRow(sealing, act.row, payload_reference)
      const kept = await keepDeviceDek(keys, { client, payload_reference }, announcement.encrypted_dek)
      return { act, legacy, payload_reference, announcement, fingerprint, kept, source_sha256 }
    })
  }

  /** Late data is sealed under the data key of its payload. */
  async #complete(acts: readonly PayloadAct[]): Promise<CompletedPayload[]> {
    if (acts.length === 0) return []
    const { client, client_id } = this.#owner
    const { db, keys, objects } = this.#ctx
    const sealing = await this.#sealing()
    const legacies = acts.map(({ row }) => row.legacy_payload_reference)
    const found = await db.read(client_id, (q) => findLoaded(q, legacies))
    return atOnce(acts, async ({ row }) => {
      const legacy = row.legacy_payload_reference
      const known = found.get(legacy)
      const kept = known && (await db.read(client_id, (q) => findEnvelope(q, known.payload_id)))
      if (!kept) throw new Error('the payload does not exist')
      const { payload_reference } = kept
      const dek = await openDeviceDek(keys, { ...kept, client, payload_reference })
      try {
        await sealing.progress.orCut(objects.delete(originalKey(client, payload_reference, 0)))
        const stored = await storeData(sealing, row, payload_reference, dek)
        if (!stored) throw new Error('the payload does not wait for data')
        const { checksum, size, source_sha256 } = stored
        return { payload_id: known.payload_id, legacy, checksum, size, source_sha256 }
      } finally {
        dek.fill(0)
      }
    })
  }
}

async function atOnce<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const done: R[] = []
  const left = items.entries()
  const worker = async () => {
    for (const [i, item] of left) done[i] = await work(item)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  return done
}
