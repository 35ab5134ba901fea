import { findClient } from '../clients/store.ts'
import type { AppContext } from '../app-context.ts'
import { AuditLog } from '../http/audit.ts'
import { systemEntry } from '../http/audit-entry.ts'
import {
  accountKeyContext,
  commentKeyContext,
  markKeyContext,
  wordKeyContext,
  dekContext,
  gpsKeyContext,
  holdReasonKeyContext,
  oidcSecretContext,
  reportKeyContext,
  transferConfigContext,
  webhookSecretContext,
} from '../ports/keys/contexts.ts'
import { signingKeyContext } from '../ports/identity/signing-keys.ts'
import type { LocalKeyProvider } from '../ports/keys/local-file.ts'
import { keepPhoneDek } from '../ports/keys/phone-dek.ts'
import type { KeyContext } from '../ports/keys/port.ts'
import type { Tx } from '../ports/database/lease.ts'
import {
  type KeyedClient,
  listBarePhoneDeks,
  listGpsKeys,
  listKeyedClients,
  listKeysOfTexts,
  listProposedKeys,
  listReportKeys,
  listSigningKeys,
  listWrappedDeks,
  readWrappedKeys,
  replaceAccountKey,
  replaceDeks,
  replaceGpsKeys,
  replaceKeysOfTexts,
  replaceOidcSecret,
  replacePhoneDeks,
  replacePhoneKey,
  replaceProposedKeys,
  replaceReportKeys,
  readWordKey,
  replaceSigningKey,
  replaceWordKey,
  type RewrappedDek,
  type TextKind,
} from './store.ts'

/** Wrapped keys per transaction. */
const BATCH = 500
/** The actor in the audit log. */
const OPERATOR = 'operator'

type Parts = Pick<AppContext, 'db' | 'now'> & { keys: LocalKeyProvider }

export interface Rotation {
  version: number
  /** Number of keys sealed again, in the database and in the keys folder. */
  rewrapped: number
  /** Unused versions that this run destroyed. */
  retired: number[]
}

/**
 * Makes a new storage key, seals again everything that an older key sealed, and destroys the older keys. An
 * interrupted run continues. An older key is destroyed `settleSeconds` after its successor was made at the earliest,
 * when every process seals with the new key, and after a pass without finds. The provider's audit log records begin
 * and end.
 */
export async function rotateStorageKey(parts: Parts, settle: () => Promise<void>): Promise<Rotation> {
  const { keys } = parts
  const before = await keys.versions()
  const version = before.length > 1 ? (before.at(-1) ?? 0) : await keys.rotate()
  const old = (await keys.versions()).filter((each) => each < version)
  const clients = await listKeyedClients(parts.db.owner)
  await record(parts, providerOf(clients), 'keys:rotate', { version, old })
  await settle()
  let rewrapped = 0
  for (let found = -1; found !== 0; rewrapped += found) found = await rewrapAll(parts, clients)
  for (const each of old) await keys.retire(each)
  await record(parts, providerOf(clients), 'keys:retire', { version, old, rewrapped })
  return { version, rewrapped, retired: old }
}

/**
 * Gives a client's phones a new key pair. They receive it with their next `GET key`, within a day. Data sealed for
 * the former key is still accepted, because its private half stays.
 */
export async function rotateClientKey(parts: Parts, client: string): Promise<string> {
  const found = await findClient(parts.db, client)
  if (!found || found.deleted_at !== null) throw new Error(`there is no client ${client}`)
  const { key_id, public_key_pem } = await parts.keys.createPhoneKey(client)
  const now = parts.now()
  await parts.db.write(found.client_id, async (tx) => {
    await replacePhoneKey(tx, { key_id, public_key_pem }, now)
    await recordWithin(parts, tx, 'keys:rotate_client', { key_id })
  })
  return key_id
}

async function rewrapAll(parts: Parts, clients: readonly KeyedClient[]): Promise<number> {
  let count = await parts.keys.rewrapFiles()
  const { owner } = parts.db
  for (const { client_id, client } of clients) {
    const present = await readWrappedKeys(owner, client_id)
    count += await rewrapOne(parts, present?.account_key, accountKeyContext(client), (sealed, old) =>
      replaceAccountKey(owner, client_id, sealed, old),
    )
    count += await rewrapOne(parts, present?.oidc_client_secret, oidcSecretContext(client), (sealed, old) =>
      replaceOidcSecret(owner, client_id, sealed, old),
    )
    count += await rewrapObjects(parts, client_id, client)
    count += await sealPhoneDeks(parts, client_id, client)
    count += await rewrapTexts(parts, client_id, 'comment', (id) => commentKeyContext(client, id))
    count += await rewrapTexts(parts, client_id, 'mark', (id) => markKeyContext(client, id))
    count += await rewrapTexts(parts, client_id, 'hold_reason', (id) => holdReasonKeyContext(client, id))
    count += await rewrapTexts(parts, client_id, 'webhook', (id) => webhookSecretContext(client, id))
    count += await rewrapTexts(parts, client_id, 'transfer_config', (id) => transferConfigContext(client, id))
    count += await rewrapProposed(parts, client_id, client)
    count += await rewrapGpsKeys(parts, client_id, client)
    count += await rewrapReports(parts, client_id, client)
    count += await rewrapWordKey(parts, client_id, client)
  }
  for (const { name, wrapped_key } of await listSigningKeys(owner))
    count += await rewrapOne(parts, wrapped_key, signingKeyContext(name), (sealed, old) =>
      replaceSigningKey(owner, name, sealed, old),
    )
  return count
}

/**
 * Moves the data keys of objects into slots, in batches by primary key. A row that changed meanwhile is left to the
 * next pass.
 */
async function rewrapObjects({ db, keys }: Parts, client_id: number, client: string): Promise<number> {
  let count = 0
  for (let after: [number, string] = [0, ''], isOver = false; !isOver;) {
    const changes: RewrappedDek[] = []
    const replaced = await db.write(client_id, async (tx) => {
      const rows = await listWrappedDeks(tx, after, BATCH)
      // In parallel, so that they share one fsync.
      const moving = rows.map(async ({ wrapped_dek, reference, ...row }) => {
        const sealed = wrapped_dek && (await keys.move(wrapped_dek, dekContext(client, reference)))
        if (sealed) changes.push({ ...row, old: wrapped_dek, sealed })
      })
      await Promise.all(moving)
      const last = rows.at(-1)
      isOver = rows.length < BATCH
      if (last) after = [last.payload_id, last.kind]
      return replaceDeks(tx, changes)
    })
    count += replaced.length
    await forgetOthers(keys, changes, replaced)
  }
  return count
}

/** Seals the data keys that are stored as phones wrapped them; in batches like `rewrapObjects`. */
async function sealPhoneDeks({ db, keys }: Parts, client_id: number, client: string): Promise<number> {
  let count = 0
  for (let after = 0, isOver = false; !isOver;) {
    const changes: { payload_id: number; encrypted_dek: Buffer; sealed: Buffer }[] = []
    const replaced = await db.write(client_id, async (tx) => {
      const rows = await listBarePhoneDeks(tx, after, BATCH)
      const sealing = rows.map(async ({ payload_id, payload_reference, encrypted_dek: bare }) => {
        const { encrypted_dek, dek_key } = await keepPhoneDek(
          keys,
          { client, payload_reference },
          bare.toString('base64'),
        )
        changes.push({ payload_id, encrypted_dek, sealed: dek_key })
      })
      await Promise.all(sealing)
      isOver = rows.length < BATCH
      after = rows.at(-1)?.payload_id ?? after
      return replacePhoneDeks(tx, changes)
    })
    count += replaced.length
    await forgetOthers(keys, changes, replaced)
  }
  return count
}

/** No row names these: it changed, or was destroyed, at the same moment. */
async function forgetOthers(
  keys: LocalKeyProvider,
  changes: readonly { sealed: Buffer }[],
  replaced: readonly Buffer[],
): Promise<void> {
  const named = new Set(replaced.map((each) => each.toString('hex')))
  await keys.forget(changes.map(({ sealed }) => sealed).filter((each) => !named.has(each.toString('hex'))))
}

/** As `rewrapObjects`; what does not follow a payload, reasons of holds, webhooks and transfer configs, stays wrapped in its row. */
async function rewrapTexts(
  { db, keys }: Parts,
  client_id: number,
  kind: TextKind,
  contextOf: (id: string) => KeyContext,
): Promise<number> {
  let count = 0
  const again = kind === 'comment' || kind === 'mark' ? keys.move : keys.rewrap
  for (let after = '', isOver = false; !isOver;) {
    const changes: { id: string; old: Buffer; sealed: Buffer }[] = []
    const replaced = await db.write(client_id, async (tx) => {
      const rows = await listKeysOfTexts(tx, kind, after, BATCH)
      const sealing = rows.map(async ({ id, wrapped_key: old }) => {
        const sealed = old && (await again(old, contextOf(id)))
        if (sealed) changes.push({ id, old, sealed })
      })
      await Promise.all(sealing)
      isOver = rows.length < BATCH
      after = rows.at(-1)?.id ?? after
      return replaceKeysOfTexts(tx, kind, changes)
    })
    count += replaced.length
    await forgetOthers(keys, changes, replaced)
  }
  return count
}

/** As `rewrapObjects`. */
async function rewrapGpsKeys({ db, keys }: Parts, client_id: number, client: string): Promise<number> {
  let count = 0
  for (let after = 0, isOver = false; !isOver;) {
    await db.write(client_id, async (tx) => {
      const rows = await listGpsKeys(tx, after, BATCH)
      const changes = []
      for (const { key_id, device_reference, day, wrapped_key: old } of rows) {
        const sealed = old && (await keys.rewrap(old, gpsKeyContext(client, device_reference, day)))
        if (sealed) changes.push({ key_id, old, sealed })
      }
      count += await replaceGpsKeys(tx, changes)
      isOver = rows.length < BATCH
      after = rows.at(-1)?.key_id ?? after
    })
  }
  return count
}

/** As `rewrapObjects`, of secrets that wait for a second person: confirmed later, they open. */
async function rewrapProposed({ db, keys }: Parts, client_id: number, client: string): Promise<number> {
  let count = 0
  for (let after = '', isOver = false; !isOver;) {
    await db.write(client_id, async (tx) => {
      const rows = await listProposedKeys(tx, after, BATCH)
      const changes = []
      for (const { proposal_id, kind, subject, wrapped_key: old } of rows) {
        const sealed = await keys.rewrap(
          Buffer.from(old, 'base64'),
          kind === 'SaveTransferConfig' ? transferConfigContext(client, subject) : oidcSecretContext(client),
        )
        if (sealed) changes.push({ proposal_id, old, sealed: sealed.toString('base64') })
      }
      count += await replaceProposedKeys(tx, changes)
      isOver = rows.length < BATCH
      after = rows.at(-1)?.proposal_id ?? after
    })
  }
  return count
}

/** As `rewrapObjects`. */
async function rewrapReports({ db, keys }: Parts, client_id: number, client: string): Promise<number> {
  let count = 0
  for (let after = 0, isOver = false; !isOver;) {
    await db.write(client_id, async (tx) => {
      const rows = await listReportKeys(tx, after, BATCH)
      const changes = []
      for (const { report_key_id, device_reference, wrapped_key: old } of rows) {
        const sealed = await keys.rewrap(old, reportKeyContext(client, device_reference))
        if (sealed) changes.push({ report_key_id, old, sealed })
      }
      count += await replaceReportKeys(tx, changes)
      isOver = rows.length < BATCH
      after = rows.at(-1)?.report_key_id ?? after
    })
  }
  return count
}

/** The key of the client's word index, if any. */
const rewrapWordKey = ({ db, keys }: Parts, client_id: number, client: string): Promise<number> =>
  db.write(client_id, async (tx) => {
    const old = await readWordKey(tx)
    const sealed = old && (await keys.rewrap(old, wordKeyContext(client)))
    return sealed ? replaceWordKey(tx, sealed, old) : 0
  })

async function rewrapOne(
  { keys }: Parts,
  blob: Buffer | null | undefined,
  context: KeyContext,
  store: (sealed: Buffer, old: Buffer) => Promise<unknown>,
): Promise<number> {
  // Empty: a client that was created without an account key.
  const sealed = blob?.length ? await keys.rewrap(blob, context) : undefined
  if (!blob || !sealed) return 0
  await store(sealed, blob)
  return 1
}

const providerOf = (clients: readonly KeyedClient[]): number | undefined =>
  clients.find(({ is_provider }) => is_provider)?.client_id

async function record(
  parts: Parts,
  client_id: number | undefined,
  action: string,
  facts: object,
): Promise<void> {
  if (client_id === undefined) return
  await parts.db.write(client_id, (tx) => recordWithin(parts, tx, action, facts))
}

/** Records an operator's act outside the server in the audit log. */
function recordWithin({ db, now }: Parts, tx: Tx, action: string, facts: object): Promise<void> {
  const entry = systemEntry(tx, { at: now(), by: OPERATOR }, action, {})
  return new AuditLog(db).appendWithin(tx, { ...entry, parameters: JSON.stringify(facts) })
}
