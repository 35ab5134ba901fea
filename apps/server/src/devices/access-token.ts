import { createHash, randomBytes } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { House } from '../house.ts'
import type { Phone } from '../http/context.ts'
import { Problem } from '../http/problem.ts'
import type { Queryable, Tx } from '../ports/database/lease.ts'

/** Seconds that a phone's access token lives. */
export const DEVICE_TOKEN_SECONDS = 86_400
/** Calls of a phone refresh its last_seen at most this often, in seconds. */
const SEEN_EVERY_SECONDS = 60
const SECRET_BYTES = 32
const LARGEST_CLIENT_ID = 2 ** 31 - 1

/**
 * A fresh access token of a phone. It is 256 random bits behind the number of its tenant, so that it can be looked up
 * inside the tenant; only its SHA-256 is stored.
 */
export async function issueToken(tx: Tx, client_id: number, device_id: number, now: number): Promise<string> {
  const bytes = Buffer.alloc(4 + SECRET_BYTES)
  bytes.writeUInt32BE(client_id)
  randomBytes(SECRET_BYTES).copy(bytes, 4)
  await tx.query(
    'insert into device_tokens (token_hash, client_id, device_id, expires_at) values ($1, $2, $3, $4)',
    [hashOf(bytes), client_id, device_id, now + DEVICE_TOKEN_SECONDS],
    'device_token_insert',
  )
  return bytes.toString('base64url')
}

/** The phone that calls, by its bearer token. Refuses unknown, expired and deactivated phones' tokens alike. */
export function deviceAuthentication(house: House) {
  return async function authenticateDevice(request: FastifyRequest, now: number): Promise<Phone> {
    const token = readBearer(request.headers.authorization)
    if (!token) throw new Problem('device_authentication_required')
    const found = await house.db.read(token.client_id, (q) => findPhone(q, token, now))
    if (!found) throw new Problem('device_authentication_required')
    const { last_seen, refusal, ...phone } = found
    const caller = { kind: 'device', client_id: token.client_id, ...phone } as const
    if (refusal) throw new Problem('device_authentication_required', { detail: refusal, caller })
    if (last_seen === null || last_seen <= now - SEEN_EVERY_SECONDS) {
      await house.db.write(token.client_id, (tx) => touch(tx, phone.device_id, now))
    }
    return caller
  }
}

interface Token {
  client_id: number
  hash: Buffer
}

function readBearer(header: string | undefined): Token | undefined {
  const text = /^Bearer +([A-Za-z0-9_-]{48})$/i.exec(header ?? '')?.[1]
  if (!text) return undefined
  const bytes = Buffer.from(text, 'base64url')
  const client_id = bytes.readUInt32BE()
  if (client_id < 1 || client_id > LARGEST_CLIENT_ID) return undefined
  return { client_id, hash: hashOf(bytes) }
}

const hashOf = (token: Buffer): Buffer => createHash('sha256').update(token).digest()

type FoundPhone = Omit<Phone, 'kind' | 'client_id'> & {
  last_seen: number | null
  /** Why its token no longer counts; null: it does. */
  refusal: string | null
}

async function findPhone(q: Queryable, token: Token, now: number): Promise<FoundPhone | undefined> {
  const { rows } = await q.query<FoundPhone>(
    `select c.client, d.device_id, d.device_reference, d.last_seen, u.device_user_reference, g.group_reference, g.group_id,
       case when d.is_deactivated then 'deactivated' when t.expires_at <= $3 then 'token expired' end as refusal
     from device_tokens t
     join clients c on c.client_id = t.client_id
     join devices d on d.client_id = t.client_id and d.device_id = t.device_id
     join groups g on g.client_id = d.client_id and g.group_id = d.group_id
     left join device_users u on u.client_id = d.client_id and u.device_user_id = d.device_user_id
     where t.token_hash = $1 and t.client_id = $2`,
    [token.hash, token.client_id, now],
    'device_by_token',
  )
  return rows[0]
}

async function touch(tx: Tx, device_id: number, now: number): Promise<void> {
  await tx.query(
    'update devices set last_seen = $2 where device_id = $1 and (last_seen is null or last_seen <= $3)',
    [device_id, now, now - SEEN_EVERY_SECONDS],
    'device_touch',
  )
}
