import { pipeline } from 'node:stream/promises'
import type { OpenedRange } from '@custodia/envelope'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { AppContext } from '../../app-context.ts'
import { Problem } from '../../http/problem.ts'
import { isDamage, reportDamage } from '../data-damage.ts'
import { dataHeaders } from './data-headers.ts'
import { readRange } from './data-range.ts'
import { type Grant, type Grants, mediaGrants, type MediaOptions } from './media-grant.ts'
import { openedObjects } from './opened-objects.ts'
import { watchGrant } from './watch-grant.ts'

/**
 * Serves data addresses, `/media/<token>`: decrypted bytes, whole or one Range. An address works for one minute and
 * only for its session or client app. Its first use from a network address is audited before the first byte; a response
 * ends when the session, app, approval or permission ends.
 */
export function mediaRoutes(ctx: AppContext, options: MediaOptions): (app: FastifyInstance) => void {
  const grants = mediaGrants(ctx, options)
  const objects = openedObjects(ctx)
  const handler = async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    const grant = await grants.grantOf(request)
    try {
      return await objects.use(grant, (opened) => answer(ctx, grants, grant, opened, request, reply))
    } catch (error) {
      if (isDamage(error)) await report(ctx, grant, error)
      throw error
    }
  }
  return (app) => {
    for (const method of ['HEAD', 'GET'] as const)
      app.route({ method, url: '/media/:token', exposeHeadRoute: false, handler })
  }
}

const report = (ctx: AppContext, { client_id, payload_reference, kind }: Grant, error: unknown) =>
  reportDamage(ctx, { client_id, payload_reference, kind }, error)

async function answer(
  ctx: AppContext,
  grants: Grants,
  grant: Grant,
  opened: OpenedRange,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const started = await beginAnswer(grants, grant, opened.plaintextSize, request, reply)
  if (request.method === 'HEAD') return reply.raw.end()
  const watch = watchGrant(grants, grant)
  try {
    // Waits while the browser does not read; closes the object when the browser disconnects.
    await pipeline(opened.read(started.start, started.end), reply.raw, { signal: watch.signal })
  } catch (error) {
    // The data cannot be sent any more: the pipeline has cut the connection, so the client cannot mistake a part for
    // the whole.
    if (isDamage(error)) await report(ctx, grant, error)
  } finally {
    watch.stop()
  }
  return reply
}

/** Sends the head of a response of `size` bytes after the audit entry; returns the range to send. */
export async function beginAnswer(
  grants: Pick<Grants, 'noteUse'>,
  grant: Grant,
  size: number,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<{ start: number; end: number }> {
  const { payload_reference, object, action } = grant
  // There are no validators, so a condition never matches (RFC 9110, section 13.1.5).
  const range = readRange(request.headers['if-range'] ? undefined : request.headers.range, size)
  if (!range) {
    void reply.header('content-range', `bytes */${size}`)
    throw new Problem('range_not_satisfiable')
  }
  const { start, end, is_partial } = range
  const headers = {
    ...reply.getHeaders(),
    ...dataHeaders({ ...object, payload_reference, action }),
    'content-length': String(end - start),
    ...(is_partial ? { 'content-range': `bytes ${start}-${end - 1}/${size}` } : {}),
  }
  const status = is_partial ? 206 : 200
  if (request.method === 'GET') await grants.noteUse(grant, status)
  reply.hijack()
  reply.raw.writeHead(status, headers as Record<string, string>)
  return range
}
