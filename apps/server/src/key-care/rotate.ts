import type { House } from '../house.ts'
import { AuditLog, newLogId } from '../http/audit.ts'
import { dekContext, accountKeyContext, oidcSecretContext } from '../ports/keys/contexts.ts'
import { signingKeyContext } from '../ports/identity/signing-keys.ts'
import type { LocalKeyProvider } from '../ports/keys/local-file.ts'
import type { KeyContext } from '../ports/keys/port.ts'
import type { Tx } from '../ports/database/lease.ts'

/** Wrapped keys per transaction. */
const BATCH = 500
/** Who stands in the audit log. */
const OPERATOR = 'operator'

type Parts = Pick<House, 'db' | 'now'> & { keys: LocalKeyProvider }

export interface Rotation {
  version: number
  /** Wrapped keys that were sealed anew, in the database and in the keys folder. */
  rewrapped: number
  /** Versions that nothing needed any more, and that are gone. */
  retired: number[]
}

interface Client {
  client_id: number
  client: string
  is_provider: boolean
  account_key: Buffer
  oidc_client_secret: Buffer | null
}

/**
 * Makes a new storage key, seals everything anew that an older one sealed, and destroys the older ones. Broken off it goes on where it was:
 * with two versions in the folder none is made. An older key is destroyed only `settleSeconds` after its successor was made, when
 * every running process seals with that one, and after a pass that found nothing left. Begin and end stand in the provider's audit log.
 */
export async function rotateStorageKey(parts: Parts, settle: () => Promise<void>): Promise<Rotation> {
  const { keys } = parts
  const before = await keys.versions()
  const version = before.length > 1 ? (before.at(-1) ?? 0) : await keys.rotate()
  const old = (await keys.versions()).filter((each) => each < version)
  const clients = await clientsOf(parts)
  await record(parts, providerOf(clients), 'keys:rotate', { version, old })
  await settle()
  let rewrapped = 0
  for (let found = -1; found !== 0; rewrapped += found) found = await rewrapAll(parts, clients)
  for (const each of old) await keys.retire(each)
  await record(parts, providerOf(clients), 'keys:retire', { version, old, rewrapped })
  return { version, rewrapped, retired: old }
}

/**
 * Gives a client's phones a new key pair. They learn it with their next `GET key`, within a day; what was sealed for the former one is
 * accepted as before, for its private half stays.
 */
export async function rotateClientKey(parts: Parts, client: string): Promise<string> {
  const found = (await clientsOf(parts)).find((each) => each.client === client)
  if (!found) throw new Error(`there is no client ${client}`)
  const { key_id, public_key_pem } = await parts.keys.createPhoneKey(client)
  const now = parts.now()
  await parts.db.write(found.client_id, async (tx) => {
    await tx.query('update client_keys set retired_at = $2 where client_id = $1 and retired_at is null', [
      found.client_id,
      now,
    ])
    await tx.query(
      'insert into client_keys (key_id, client_id, public_key, created_at) values ($1, $2, $3, $4)',
      [key_id, found.client_id, public_key_pem, now],
    )
    await recordWithin(parts, tx, found.client_id, 'keys:rotate_client', { key_id })
  })
  return key_id
}

async function rewrapAll(parts: Parts, clients: readonly Client[]): Promise<number> {
  let count = await parts.keys.rewrapFiles()
  const { owner } = parts.db
  for (const { client_id, client } of clients) {
    const { rows } = await owner.query<Client>(
      'select account_key, oidc_client_secret from clients where client_id = $1',
      [client_id],
    )
    count += await rewrapOne(parts, rows[0]?.account_key, accountKeyContext(client), (sealed, old) =>
      owner.query('update clients set account_key = $1 where client_id = $2 and account_key = $3', [
        sealed,
        client_id,
        old,
      ]),
    )
    count += await rewrapOne(parts, rows[0]?.oidc_client_secret, oidcSecretContext(client), (sealed, old) =>
      owner.query(
        'update clients set oidc_client_secret = $1 where client_id = $2 and oidc_client_secret = $3',
        [sealed, client_id, old],
      ),
    )
    count += await rewrapObjects(parts, client_id, client)
  }
  const { rows: signing } = await owner.query<{ name: string; wrapped_key: Buffer }>(
    'select name, wrapped_key from signing_keys',
  )
  for (const { name, wrapped_key } of signing)
    count += await rewrapOne(parts, wrapped_key, signingKeyContext(name), (sealed, old) =>
      owner.query('update signing_keys set wrapped_key = $1 where name = $2 and wrapped_key = $3', [
        sealed,
        name,
        old,
      ]),
    )
  return count
}

/** Batch by batch in the order of the primary key; a row that changed meanwhile is left to the next pass. */
async function rewrapObjects({ db, keys }: Parts, client_id: number, client: string): Promise<number> {
  let count = 0
  for (let after: [number, string] = [0, ''], isOver = false; !isOver;) {
    await db.write(client_id, async (tx) => {
      const { rows } = await tx.query<{
        payload_id: number
        kind: string
        wrapped_dek: Buffer | null
        reference: string
      }>(
        `select o.payload_id, o.kind, o.wrapped_dek, p.payload_reference as reference
         from payload_objects o join payloads p using (client_id, payload_id)
         where o.client_id = $1 and (o.payload_id, o.kind) > ($2, $3) order by o.payload_id, o.kind limit ${BATCH}`,
        [client_id, ...after],
      )
      const changes: { payload_id: number; kind: string; old: Buffer; sealed: Buffer }[] = []
      for (const { wrapped_dek, reference, ...row } of rows) {
        const sealed = wrapped_dek && (await keys.rewrap(wrapped_dek, dekContext(client, reference)))
        if (sealed) changes.push({ ...row, old: wrapped_dek, sealed })
      }
      const { rowCount } = await tx.query(
        `update payload_objects o set wrapped_dek = c.sealed
         from unnest($2::bigint[], $3::text[], $4::bytea[], $5::bytea[]) c (payload_id, kind, old, sealed)
         where o.client_id = $1 and o.payload_id = c.payload_id and o.kind = c.kind and o.wrapped_dek = c.old`,
        [
          client_id,
          changes.map((c) => c.payload_id),
          changes.map((c) => c.kind),
          changes.map((c) => c.old),
          changes.map((c) => c.sealed),
        ],
      )
      count += rowCount
      const last = rows.at(-1)
      isOver = rows.length < BATCH
      if (last) after = [last.payload_id, last.kind]
    })
  }
  return count
}

async function rewrapOne(
  { keys }: Parts,
  blob: Buffer | null | undefined,
  context: KeyContext,
  store: (sealed: Buffer, old: Buffer) => Promise<unknown>,
): Promise<number> {
  // Empty: a client whose accounts were made without one.
  const sealed = blob?.length ? await keys.rewrap(blob, context) : undefined
  if (!blob || !sealed) return 0
  await store(sealed, blob)
  return 1
}

async function clientsOf({ db }: Parts): Promise<Client[]> {
  return (
    await db.owner.query<Client>('select client_id, client, is_provider from clients order by client_id')
  ).rows
}

const providerOf = (clients: readonly Client[]): number | undefined =>
  clients.find(({ is_provider }) => is_provider)?.client_id

async function record(
  parts: Parts,
  client_id: number | undefined,
  action: string,
  facts: object,
): Promise<void> {
  if (client_id === undefined) return
  await parts.db.write(client_id, (tx) => recordWithin(parts, tx, client_id, action, facts))
}

/** An entry of the audit log for what the operator does beside the server. */
function recordWithin(
  { db, now }: Parts,
  tx: Tx,
  client_id: number,
  action: string,
  facts: object,
): Promise<void> {
  const at = now()
  return new AuditLog(db).appendWithin(tx, {
    log_id: newLogId(),
    caller: {
      kind: 'portal',
      client_id,
      user_reference: OPERATOR,
      user_group: null,
      group_id: null,
      roles: [],
    },
    ip: '127.0.0.1',
    browser: undefined,
    activity_time: at,
    activity_end_time: at,
    duration: 0,
    action,
    is_allowed: true,
    denial_reason: null,
    parameters: JSON.stringify(facts),
    status_code: 200,
    request_id: newLogId(),
  })
}
