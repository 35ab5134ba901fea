import { pipeline } from 'node:stream/promises'
import { hasData } from '@custodia/domain'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { House } from '../house.ts'
import { Problem } from '../http/problem.ts'
import { findAddress, type GivenAddress, noteFirstUse } from './address-store.ts'
import { type Address, type Addresses, makeAddresses } from './address.ts'
import { ADDRESS_SECRET } from './data.ts'
import { isDamage, reportDamage } from './data-damage.ts'
import { dataHeaders } from './data-headers.ts'
import { findDataSubjects, openObject, type StoredObject } from './data-objects.ts'
import { readRange } from './data-range.ts'

export interface MediaOptions {
  /**
   * The session whose HttpOnly cookie the request carries. A browser may carry several; `wanted` is the one that the address
   * was given to.
   */
  sessionOfRequest(request: FastifyRequest, wanted: string): Promise<string | undefined>
}

/** An address that may be used now, by whom it was given to. */
interface Grant extends GivenAddress {
  client_id: number
  client: string
  payload_reference: string
  is_used: boolean
  object: StoredObject
}

/**
 * Answers data addresses, `/media/<token>`: opened bytes, whole or one Range. An address works for one minute, for the browser
 * session that asked for it, and while the payload may be seen; its first use is audited before the first byte leaves.
 */
export function mediaRoutes(house: House, options: MediaOptions): (app: FastifyInstance) => void {
  let addresses: Promise<Addresses> | undefined
  const handler = async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    addresses ??= house.keys.namedSecret(ADDRESS_SECRET).then(makeAddresses)
    const { token } = request.params as { token: string }
    const address = (await addresses).open(token)
    if (!address) throw refusal('forged')
    return answer(house, await grantOf(house, options, request, address), request, reply)
  }
  return (app) => {
    for (const method of ['HEAD', 'GET'] as const)
      app.route({ method, url: '/media/:token', exposeHeadRoute: false, handler })
  }
}

const refusal = (detail: string) => new Problem('address_expired', { detail })

async function grantOf(
  house: House,
  options: MediaOptions,
  request: FastifyRequest,
  { address_id, client_id, expires_at }: Address,
): Promise<Grant> {
  const now = house.now()
  if (now >= expires_at) throw refusal('expired')
  const found = await house.db.read(client_id, async (q) => {
    const given = await findAddress(q, client_id, address_id, now)
    const subjects = given && (await findDataSubjects(q, client_id, [given.payload_reference]))
    return { given, subject: subjects?.get(given?.payload_reference ?? '') }
  })
  const { given, subject } = found
  if (!given || !subject) throw refusal('its session has ended')
  if ((await options.sessionOfRequest(request, given.session_id)) !== given.session_id)
    throw refusal('another session')
  const object = subject.objects.find(({ kind }) => kind === given.kind)
  if (!object || !hasData(subject)) throw refusal(`the payload is ${subject.payload_state}`)
  return { ...given, client_id, object }
}

async function answer(
  house: House,
  grant: Grant,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const { client_id, client, payload_reference, object } = grant
  const damaged = async (error: unknown) => {
    if (isDamage(error)) await reportDamage(house, { client_id, payload_reference, kind: object.kind }, error)
  }
  const opened = await openObject(house, client, payload_reference, object).catch(async (error: unknown) => {
    await damaged(error)
    throw error
  })
  const size = opened.plaintextSize
  // There are no validators, so a condition on one never holds (RFC 9110, section 13.1.5).
  const range = readRange(request.headers['if-range'] ? undefined : request.headers.range, size)
  if (!range) {
    void reply.header('content-range', `bytes */${size}`)
    throw new Problem('range_not_satisfiable')
  }
  const { start, end, is_partial } = range
  const headers = {
    ...reply.getHeaders(),
    ...dataHeaders({ ...object, payload_reference, action: grant.action }),
    'content-length': String(end - start),
    ...(is_partial ? { 'content-range': `bytes ${start}-${end - 1}/${size}` } : {}),
  }
  if (request.method === 'GET' && !grant.is_used)
    await house.db.write(client_id, (tx) => noteFirstUse(tx, client_id, grant, house.now()))
  reply.hijack()
  reply.raw.writeHead(is_partial ? 206 : 200, headers as Record<string, string>)
  if (request.method === 'HEAD') return reply.raw.end()
  try {
    // Waits while the browser does not read; ends reading, and so closes the object, when the browser goes away.
    await pipeline(opened.read(start, end), reply.raw)
  } catch (error) {
    // What was promised cannot be sent any more: the pipeline has cut the connection, so nobody takes a part for the whole.
    await damaged(error)
  }
  return reply
}
