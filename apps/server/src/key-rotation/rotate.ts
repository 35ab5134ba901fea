import type { AppContext } from '../app-context.ts'
import { findClient } from '../clients/store.ts'
import { systemEntry } from '../http/audit-entry.ts'
import { AuditLog } from '../http/audit.ts'
import type { Tx } from '../ports/database/lease.ts'
import { signingKeyContext } from '../ports/identity/signing-keys.ts'
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
import { keepDeviceDek } from '../ports/keys/device-dek.ts'
import type { LocalKeyProvider } from '../ports/keys/local-file.ts'
import type { KeyContext } from '../ports/keys/port.ts'
import {
  type BareDeviceDek,
  type KeyedClient,
  type KeyTableName,
  listBareDeviceDeks,
  listKeyedClients,
  listKeys,
  listSigningKeys,
  readWordKey,
  readWrappedKeys,
  replaceKeys,
  replaceDeviceDeks,
  replaceKek,
  replaceSigningKey,
  replaceWordKey,
  replaceWrappedKey,
  type StoredKey,
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
  await record(parts, getProvider(clients), 'keys:rotate', { version, old })
  await settle()
  let rewrapped = 0
  for (let found = -1; found !== 0; rewrapped += found) found = await rewrapAll(parts, clients)
  for (const each of old) await keys.retire(each)
  await record(parts, getProvider(clients), 'keys:retire', { version, old, rewrapped })
  return { version, rewrapped, retired: old }
}

/**
 * Gives a client's devices a new key pair. They receive it with their next `GET key`, within a day. Data sealed for
 * the former key is still accepted, because its private half stays.
 */
export async function rotateClientKey(parts: Parts, client: string): Promise<string> {
  const found = await findClient(parts.db, client)
  if (!found || found.deleted_at !== null) throw new Error(`there is no client ${client}`)
  const { key_id, public_key_pem } = await parts.keys.createKek(client)
  const now = parts.now()
  await parts.db.write(found.client_id, async (tx) => {
    await replaceKek(tx, { key_id, public_key_pem }, now)
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
      replaceWrappedKey(owner, client_id, 'account_key', sealed, old),
    )
    count += await rewrapOne(parts, present?.oidc_client_secret, oidcSecretContext(client), (sealed, old) =>
      replaceWrappedKey(owner, client_id, 'oidc_client_secret', sealed, old),
    )
    const rewrap = async <Name extends KeyTableName>(name: Name, getContext: ContextOf<Name>) => {
      count += await rewrapKeys(parts, client_id, name, getContext)
    }
    await rewrap('object', ({ reference }) => dekContext(client, reference))
    count += await sealDeviceDeks(parts, client_id, client)
    await rewrap('comment', ({ reference }) => commentKeyContext(client, reference))
    await rewrap('mark', ({ reference }) => markKeyContext(client, reference))
    await rewrap('hold_reason', ({ reference }) => holdReasonKeyContext(client, reference))
    await rewrap('webhook', ({ reference }) => webhookSecretContext(client, reference))
    await rewrap('transfer_config', ({ reference }) => transferConfigContext(client, reference))
    await rewrap('proposal', ({ kind, reference }) =>
      kind === 'SaveTransferConfig' ? transferConfigContext(client, reference) : oidcSecretContext(client),
    )
    await rewrap('position', ({ reference, day }) => gpsKeyContext(client, reference, day))
    await rewrap('report', ({ reference }) => reportKeyContext(client, reference))
    count += await rewrapWordKey(parts, client_id, client)
  }
  for (const { name, wrapped_key } of await listSigningKeys(owner))
    count += await rewrapOne(parts, wrapped_key, signingKeyContext(name), (sealed, old) =>
      replaceSigningKey(owner, name, sealed, old),
    )
  return count
}

type ContextOf<Name extends KeyTableName> = (key: StoredKey<Name>) => KeyContext

/** Tables whose keys move into slots, because they are erased one by one. The others stay wrapped in their rows. */
const IN_SLOTS: ReadonlySet<KeyTableName> = new Set(['object', 'comment', 'mark'])

function rewrapKeys<Name extends KeyTableName>(
  parts: Parts,
  client_id: number,
  name: Name,
  getContext: ContextOf<Name>,
): Promise<number> {
  const again = IN_SLOTS.has(name) ? parts.keys.move : parts.keys.rewrap
  return replaceInBatches<StoredKey<Name>, StoredKey<Name> & { sealed: Buffer }>(parts, client_id, {
    list: (tx, after) => listKeys(tx, name, after, BATCH),
    async seal(key) {
      const sealed = await again(key.old, getContext(key))
      return sealed && { ...key, sealed }
    },
    replace: (tx, changes) => replaceKeys(tx, name, changes),
  })
}

/** Seals the data keys that are stored as devices wrapped them. */
const sealDeviceDeks = (parts: Parts, client_id: number, client: string): Promise<number> =>
  replaceInBatches(parts, client_id, {
    list: (tx, after: BareDeviceDek | undefined) => listBareDeviceDeks(tx, after?.payload_id ?? 0, BATCH),
    async seal({ payload_id, payload_reference, encrypted_dek: bare }) {
      const { encrypted_dek, dek_key } = await keepDeviceDek(
        parts.keys,
        { client, payload_reference },
        bare.toString('base64'),
      )
      return { payload_id, encrypted_dek, sealed: dek_key }
    },
    replace: replaceDeviceDeks,
  })

/** Replaces keys in batches by primary key. A row that changed meanwhile is left to the next pass. */
async function replaceInBatches<Row, Change extends { sealed: Buffer }>(
  { db, keys }: Parts,
  client_id: number,
  table: {
    list: (tx: Tx, after: Row | undefined) => Promise<Row[]>
    /** Undefined: it stays. */
    seal: (row: Row) => Promise<Change | undefined>
    /** Resolves to the replaced keys. */
    replace: (tx: Tx, changes: readonly Change[]) => Promise<Buffer[]>
  },
): Promise<number> {
  let count = 0
  for (let last: Row | undefined, isOver = false; !isOver;) {
    const after = last
    const sealed: Change[] = []
    const { rows, replaced } = await db.write(client_id, async (tx) => {
      const rows = await table.list(tx, after)
      // In parallel, so that they share one fsync.
      const changes = (await Promise.all(rows.map(table.seal))).filter((change) => change !== undefined)
      sealed.push(...changes)
      return { rows, replaced: await table.replace(tx, changes) }
    })
    last = rows.at(-1)
    isOver = rows.length < BATCH
    count += replaced.length
    await forgetOthers(keys, sealed, replaced)
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

const getProvider = (clients: readonly KeyedClient[]): number | undefined =>
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
