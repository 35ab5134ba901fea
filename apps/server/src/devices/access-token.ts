import { createHash, randomBytes } from 'node:crypto'
import { AUTHENTICATE_CLOCK_SECONDS } from '@custodia/contract'
import type { FastifyRequest } from 'fastify'
import type { AppContext } from '../app-context.ts'
import { listClients } from '../clients/store.ts'
import {
  type Token,
  findDevicesOfTokens,
  insertToken,
  purgeTokens,
  purgeUlids,
  touchDevice,
} from '../device-records/token-store.ts'
import type { DeviceCaller } from '../http/context.ts'
import { Problem } from '../http/problem.ts'
import { periodicJob } from '../jobs/kind.ts'
import { Batcher } from '../ports/database/batcher.ts'
import type { Tx } from '../ports/database/lease.ts'

/** Lifetime of a device's access token, in seconds. */
export const DEVICE_TOKEN_SECONDS = 86_400
/** Minimum interval between two updates of `last_seen`, in seconds. */
const SEEN_EVERY_SECONDS = 60
const SECRET_BYTES = 32
/** Maximum number of tokens that one statement looks up. */
const MAX_TOGETHER = 64
const LARGEST_CLIENT_ID = 2 ** 31 - 1

/** Issues an access token: the tenant's number and 256 random bits. The database stores only its SHA-256. */
export async function issueToken(tx: Tx, device_id: number, now: number): Promise<string> {
  const bytes = Buffer.alloc(4 + SECRET_BYTES)
  bytes.writeUInt32BE(tx.client_id)
  randomBytes(SECRET_BYTES).copy(bytes, 4)
  await insertToken(tx, { hash: getHash(bytes), device_id, expires_at: now + DEVICE_TOKEN_SECONDS })
  return bytes.toString('base64url')
}

/**
 * Returns the device that a bearer token belongs to. Refuses unknown and expired tokens and deactivated devices alike.
 */
export function deviceAuthentication(ctx: AppContext) {
  const lookups = new Batcher({
    most: MAX_TOGETHER,
    run: (client_id, hashes: readonly Buffer[]) =>
      ctx.db.read(client_id, (q) => findDevicesOfTokens(q, hashes)),
  })
  return async function authenticateDevice(request: FastifyRequest, now: number): Promise<DeviceCaller> {
    const token = readBearer(request.headers.authorization)
    if (!token) throw new Problem('device_authentication_required')
    const found = await lookups.add(token.client_id, token.hash)
    if (!found) throw new Problem('device_authentication_required')
    const { last_seen, is_deactivated, expires_at, ...device } = found
    const refusal = is_deactivated ? 'deactivated' : expires_at <= now ? 'token expired' : undefined
    const caller = { kind: 'device', client_id: token.client_id, ...device } as const
    if (refusal) throw new Problem('device_authentication_required', { detail: refusal, caller })
    if (last_seen === null || last_seen <= now - SEEN_EVERY_SECONDS) {
      await ctx.db.write(token.client_id, (tx) =>
        touchDevice(tx, device.device_id, { now, unless_since: now - SEEN_EVERY_SECONDS }),
      )
    }
    return caller
  }
}

function readBearer(header: string | undefined): Token | undefined {
  const text = /^Bearer +([A-Za-z0-9_-]{48})$/i.exec(header ?? '')?.[1]
  if (!text) return undefined
  const bytes = Buffer.from(text, 'base64url')
  const client_id = bytes.readUInt32BE()
  if (client_id < 1 || client_id > LARGEST_CLIENT_ID) return undefined
  return { client_id, hash: getHash(bytes) }
}

const getHash = (token: Buffer): Buffer => createHash('sha256').update(token).digest()

/** Deletes expired tokens and old authentication proofs. */
export const purgeDeviceTokens = periodicJob({
  name: 'devices.purge',
  every: 600,
  async run(ctx) {
    const now = ctx.now()
    await purgeTokens(ctx.db, now)
    for (const { client_id } of await listClients(ctx.db)) {
      // Twice the clock tolerance: the age check refuses a proof long before its deletion.
      await ctx.db.write(client_id, (tx) => purgeUlids(tx, now - 2 * AUTHENTICATE_CLOCK_SECONDS))
    }
  },
})
