import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type Answer, type Api, DATA_STATUSES, type DataStatus } from '@custodia/contract'
import { hashing } from '@custodia/envelope'
import { makeZip } from 'client-zip'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { AppContext } from '../../app-context.ts'
import type { Handler, PortalContext } from '../../http/context.ts'
import { Problem } from '../../http/problem.ts'
import type { Tx } from '../../ports/database/lease.ts'
import { isDamage, reportDamage } from '../data-damage.ts'
import { openObject } from '../data-objects.ts'
import { expired, makeAddresses, RunningResponses } from './address.ts'
import {
  type ArchiveLine,
  type Bag,
  type BagInfo,
  contentsFile,
  fileNames,
  type OpenBag,
  type TagFile,
} from './archive-files.ts'
import { getFileName } from './data-headers.ts'
import { type ExportedFiles, validate } from './data.ts'
import { type ArchiveMember, findArchive, insertAddresses } from './find-address-store.ts'
import { type Grant, type Grants, mediaGrants, type MediaOptions, watchGrant } from './media-grant.ts'

/** Signs addresses of archives, which differ from those of payloads. */
const ARCHIVE_SECRET = 'data-archives'

/** Issues one address for the data of many payloads; each payload is checked on its own. */
export function readDataArchive(ctx: AppContext): Handler<'readDataArchive'> {
  return (context, { query: { payload_references, reason } }) =>
    getArchive(ctx, context, { payload_references, reason })
}

/**
 * The address of an archive, or of a bag when `bag` is given, and the refusals; `also` runs in the
 * transaction that creates it. Problem: reason_required.
 */
export async function getArchive(
  ctx: AppContext,
  context: PortalContext,
  asked: {
    payload_references: readonly string[]
    reason?: string | undefined
    bag?: BagInfo
    /** Of an export: which files. */
    files?: ExportedFiles
    /** A further action that each payload needs. */
    needs?: string
    also?: (tx: Tx) => Promise<void>
  },
): Promise<Answer<Api['readDataArchive']>> {
  const { payload_references, reason, bag, files, needs, also } = asked
  const call = { action: 'download', also: needs, files, export_id: bag?.export_id, reason } as const
  const validated = await validate(context, call, payload_references)
  const data = validated.map(({ payload_reference, status }) => ({ payload_reference, status }))
  const given = validated.flatMap(({ addresses }) => addresses)
  const [first] = given
  if (!first) return { data }
  first.archive = validated.map(({ payload_reference, status, addresses }): ArchiveMember => ({
    payload_reference,
    status,
    address_ids: addresses.map(({ address_id }) => address_id),
  }))
  if (bag) first.bag = bag
  await context.write(async (tx) => {
    await insertAddresses(tx, given)
    await also?.(tx)
  })
  const { address_id, expires_at } = first
  const { client_id } = context.caller
  const addresses = makeAddresses(await ctx.keys.namedSecret(ARCHIVE_SECRET))
  const token = addresses.seal({ address_id, client_id, expires_at })
  return { data, s3_url: `${ctx.config.clientPortalUrl}/media/archives/${token}`, expires_at }
}

/**
 * Serves archive addresses, `/media/archives/<token>`: a zip that is built while it is sent. Each member is checked and
 * audited when its turn comes; the last file lists the refused ones.
 */
export function archiveRoutes(
  ctx: AppContext,
  options: MediaOptions & { openBag: OpenBag },
): (app: FastifyInstance) => void {
  const grants = mediaGrants(ctx, options)
  const running = new RunningResponses()
  return (app) => {
    // HEAD would count as a download of all members.
    app.get('/media/archives/:token', { exposeHeadRoute: false }, (request, reply) =>
      answer({ ctx, grants, running, openBag: options.openBag }, request, reply),
    )
  }
}

interface Parts {
  ctx: AppContext
  grants: Grants
  running: RunningResponses
  openBag: OpenBag
}

async function answer(parts: Parts, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const { ctx, grants, running, openBag } = parts
  const { token } = request.params as { token: string }
  const address = makeAddresses(await ctx.keys.namedSecret(ARCHIVE_SECRET)).open(token)
  if (!address) throw expired('forged')
  const { client_id } = address
  const found = await ctx.db.read(client_id, (q) => findArchive(q, address.address_id))
  if (!found) throw expired('forgotten')
  const { granted, lines, refusal } = await grantMembers(grants, request, client_id, found.archive)
  const [first] = granted
  // Without a readable member the response is the refusal, not an empty archive.
  if (!first) throw refusal ?? expired('its data is gone')
  using _ = running.begin(first)
  const { bag: info, client_name } = found
  const { client, portal_user, reason } = first
  const payload_ids = granted.map(({ payload_id }) => payload_id)
  const now = ctx.now()
  const readAccess = () => grants.getAccess(first)
  const about = { client_id, client, client_name, portal_user, reason, payload_ids, readAccess, now }
  const bag = info && (await openBag(info, about))
  if (bag && !(await bag.noteSent(0, false))) throw expired('the export was cancelled')
  const sending: ArchiveResponse = { cut: new AbortController(), lines, bag }
  const files = getFiles(ctx, grants, granted, sending)
  reply.hijack()
  reply.raw.writeHead(200, { ...(reply.getHeaders() as Record<string, string>), ...getHeaders(info) })
  try {
    await pipeline(Readable.fromWeb(makeZip(files as AsyncGenerator<never>) as never), reply.raw, {
      signal: sending.cut.signal,
    })
    await bag?.noteSent(found.archive.length, true)
  } catch (error) {
    // The connection was cut, so the client cannot mistake a part for the whole.
    if (isDamage(error) && sending.grant) await reportDamage(ctx, sending.grant, error)
    else if (!isNotFound(error))
      ctx.log.error(
        { err: error, payload_reference: sending.grant?.payload_reference },
        'an archive broke off',
      )
  } finally {
    await files.return()
  }
  return reply
}

/** The members that the holder may read now, in order, and the results of the others. */
async function grantMembers(
  grants: Grants,
  request: FastifyRequest,
  client_id: number,
  members: readonly ArchiveMember[],
): Promise<{ granted: Grant[]; lines: ArchiveLine[]; refusal: Problem | undefined }> {
  const lines: ArchiveLine[] = []
  const granted: Grant[] = []
  let refusal: Problem | undefined
  for (const { payload_reference, status, address_ids } of members) {
    if (address_ids.length === 0) lines.push({ payload_reference, status })
    for (const address_id of address_ids)
      try {
        granted.push(await grants.grantAt(request, { client_id, address_id }))
      } catch (error) {
        if (!(error instanceof Problem) || error.status >= 500) throw error
        refusal ??= error
        lines.push({ payload_reference, status: getStatus(error) })
      }
  }
  return { granted, lines, refusal }
}

/**
 * Whether the reader disconnected or lost the permission: no server fault, and the audit log has the latter.
 */
const isNotFound = (error: unknown): boolean =>
  error instanceof Problem
    ? error.status < 500
    : error instanceof Error &&
      'code' in error &&
      (error.code === 'ERR_STREAM_PREMATURE_CLOSE' || error.code === 'ABORT_ERR')

const getHeaders = (bag: BagInfo | null) => ({
  'cache-control': 'no-store',
  'content-disposition': `attachment; filename="${bag?.name ?? 'recordings'}.zip"`,
  'content-security-policy': "sandbox; default-src 'none'",
  'content-type': 'application/zip',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
})

interface ArchiveFile {
  name: string
  input: TagFile['input']
  lastModified: Date
}

/** A running response: the results of its members, and the current one. */
interface ArchiveResponse {
  cut: AbortController
  lines: ArchiveLine[]
  bag: Bag | null
  grant?: Grant
}

/** The members in order, and at last their results. */
async function* getFiles(
  ctx: AppContext,
  grants: Grants,
  granted: readonly Grant[],
  sending: ArchiveResponse,
): AsyncGenerator<ArchiveFile, void, undefined> {
  const { cut, lines, bag } = sending
  const lastModified = new Date(ctx.now() * 1000)
  const named = fileNames()
  const sent = new Set<string>()
  for (const grant of granted) {
    const { payload_reference } = grant
    // The permission may have ended while other members were sent.
    if (!(await grants.holds(grant))) {
      lines.push({ payload_reference, status: 'NoS3Url' })
      continue
    }
    sending.grant = grant
    const { client, object } = grant
    const name =
      bag?.getName({ ...object, payload_reference }) ?? named(getFileName({ ...object, payload_reference }))
    const opened = await openObject(ctx, client, payload_reference, object)
    const watch = watchGrant(grants, grant)
    watch.signal.addEventListener('abort', () => cut.abort(), { once: true })
    try {
      // Two files of a recording are one disclosure.
      if (!sent.has(payload_reference)) await grants.noteUse(grant, 200)
      const input = hashing(opened.read(0, opened.plaintextSize))
      yield { name, input: input.stream as AsyncIterable<Uint8Array<ArrayBuffer>>, lastModified }
      lines.push({ payload_reference, status: 'Ok', file: name, size: input.size(), sha256: input.digest() })
    } finally {
      opened.forget()
      watch.stop()
    }
    sent.add(payload_reference)
    if (bag && !(await bag.noteSent(sent.size, false))) return cut.abort()
  }
  if (!bag) return yield { name: 'contents.csv', input: contentsFile(lines), lastModified }
  // A slow reader may be at them for long after the permission ended.
  const watch = sending.grant && watchGrant(grants, sending.grant)
  watch?.signal.addEventListener('abort', () => cut.abort(), { once: true })
  try {
    for await (const file of bag.tagFiles(lines)) yield { ...file, lastModified }
  } finally {
    watch?.stop()
  }
}

/** The refusal of an address as a status of the data call. */
const getStatus = ({ detail }: Problem): DataStatus =>
  DATA_STATUSES.find((status) => status === detail) ?? 'NoS3Url'
