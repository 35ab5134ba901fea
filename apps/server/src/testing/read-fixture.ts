import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { EndpointName } from '@custodia/contract'
import { associatedData, seal } from '@custodia/envelope'
import type { FastifyInstance } from 'fastify'
import { ulid } from 'ulid'
import { fromBuffer } from 'yauzl'
import { AccessCache } from '../access/load.ts'
import type { AppContext } from '../app-context.ts'
import { buildApp } from '../app.ts'
import { dashboardRoutes } from '../dashboard/routes.ts'
import { groupRoutes } from '../groups/routes.ts'
import { watch } from '../health/metrics.ts'
import type { Handlers, PortalUser } from '../http/context.ts'
import { Problem } from '../http/problem.ts'
import { STATE_CODES } from '../payload-records/codes.ts'
import { type ObjectDetails } from '../payloads/data-objects.ts'
import { archiveRoutes } from '../payloads/data/archive.ts'
import { mediaRoutes } from '../payloads/data/media-grant.ts'
import { payloadReadRoutes } from '../payloads/detail/routes.ts'
import { openBag } from '../payloads/exports/bag.ts'
import { exportRoutes } from '../payloads/exports/routes.ts'
import { searchPages } from '../payloads/words/search.ts'
import { dekContext } from '../ports/keys/contexts.ts'
import { getDisposition, getTransferred } from '../retention/store.ts'
import { roleRoutes } from '../roles/routes.ts'
import { createFixture, type Fixture } from './list-fixture.ts'
import { testContext } from './test-context.ts'

/** The files of a zip by name; every checksum in it is compared. */
export function unzipped(zip: Buffer): Promise<Map<string, Buffer>> {
  return new Promise((resolve, reject) => {
    const files = new Map<string, Buffer>()
    fromBuffer(zip, { lazyEntries: true }, (error, opened) => {
      if (error) return reject(error)
      opened.on('entry', (entry) =>
        opened.openReadStream(entry, async (failure, stream) => {
          if (failure) return reject(failure)
          files.set(entry.fileName, Buffer.concat(await stream.toArray()))
          opened.readEntry()
        }),
      )
      opened.on('end', () => resolve(files)).on('error', reject)
      opened.readEntry()
    })
  })
}

/**
 * Reads a serialised bag by RFC 8493, independent of its writer: one folder (section 4.2), the declaration (2.1.1), a
 * manifest that matches the payload files (2.1.3, 3), a tag manifest that matches the other tag files (2.2.1), and
 * the octet count (2.2.2). Resolves to the recordings by name and the tags of bag-info.txt.
 */
export function readBag(files: ReadonlyMap<string, Buffer>) {
  const folders = new Set([...files.keys()].map((name) => name.split('/')[0]))
  assert.equal(folders.size, 1, 'one folder at the top')
  const [folder = ''] = folders
  const inside = new Map([...files].map(([name, bytes]) => [name.slice(folder.length + 1), bytes]))
  assert.equal(
    String(inside.get('bagit.txt')),
    'BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n',
    'the declaration',
  )
  const manifest = (name: string) => {
    const text = String(inside.get(name) ?? assert.fail(`no ${name}`))
    const lines = text.split('\n').filter((line) => line !== '')
    const read = lines.map((line) => {
      const [, digest = '', path = ''] = /^([0-9a-f]{64})[ \t]+\*?(\S.*)$/.exec(line) ?? assert.fail(line)
      return [path, digest] as const
    })
    assert.equal(new Set(read.map(([path]) => path)).size, read.length, 'each file once')
    for (const [path, digest] of read) {
      const bytes = inside.get(path) ?? assert.fail(`${path} is missing`)
      assert.equal(createHash('sha256').update(bytes).digest('hex'), digest, path)
    }
    return read.map(([path]) => path).toSorted()
  }
  const payload = [...inside.keys()].filter((name) => name.startsWith('data/')).toSorted()
  assert.deepEqual(manifest('manifest-sha256.txt'), payload, 'a complete bag')
  const tags = [...inside.keys()].filter(
    (name) => !name.startsWith('data/') && !name.startsWith('tagmanifest-'),
  )
  assert.deepEqual(manifest('tagmanifest-sha256.txt'), tags.toSorted(), 'every tag file')
  const info = Object.fromEntries(
    String(inside.get('bag-info.txt'))
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => {
        const [, label = '', value = ''] = /^([^:\s][^:]*):[ \t](.*)$/.exec(line) ?? assert.fail(line)
        return [label, value]
      }),
  )
  const octets = payload.reduce((sum, name) => sum + (inside.get(name)?.length ?? 0), 0)
  assert.equal(info['Payload-Oxum'], `${octets}.${payload.length}`)
  return {
    info,
    recordings: new Map(payload.map((name) => [name.slice('data/'.length), inside.get(name)])),
    contents: String(inside.get('contents.csv')).split('\r\n'),
  }
}

/** A server over two clients that takes the caller from the header `x-user`; sessions carry the user's name. */
export interface ReadFixture {
  ctx: AppContext
  app: FastifyInstance
  acme: Fixture
  other: Fixture
  /** Roles of a user, by name. `user@client` is a user of that client. */
  roles: Map<string, string[]>
  /** Answer of a GET: status and JSON. */
  get(user: string, path: string): Promise<{ status: number; body: Record<string, unknown> }>
  advance(seconds: number): void
  /** Stores sealed bytes as an object of a payload. */
  store(
    payload_reference: string,
    kind: string,
    content_type: string,
    bytes: Buffer,
    details?: ObjectDetails,
  ): Promise<{ object_key: string }>
  setState(payload_reference: string, state: keyof typeof STATE_CODES): Promise<void>
  close(): Promise<void>
}

export async function readFixture(): Promise<ReadFixture> {
  await using made = new AsyncDisposableStack()
  const { context, folder, sql, advance, close } = await testContext()
  made.defer(close)
  const ctx = context as AppContext
  const { db, log } = ctx
  const acme = await createFixture(db, 'acme', 3)
  const other = await createFixture(db, 'other', 1)
  const clients = { acme, other }
  const roles = new Map<string, string[]>()
  const book = new AccessCache(db)
  const app = await buildApp({
    ctx,
    handlers: {
      ...payloadReadRoutes(ctx, { getDisposition, getTransferred }),
      ...exportRoutes(ctx, searchPages(ctx)),
      ...dashboardRoutes(),
      ...groupRoutes(ctx, book),
      ...roleRoutes(ctx, book),
    } as Partial<Handlers<EndpointName>> as Handlers<EndpointName>,
    authenticatePortal: async (request): Promise<PortalUser> => {
      const user = String(request.headers['x-user'])
      const { client_id, client } = clients[(user.split('@')[1] ?? 'acme') as keyof typeof clients]
      const named = roles.get(user) ?? ['Compliance Manager']
      const access = await book.getAccess({
        client_id,
        epoch: 1,
        roles: named,
        groups: null,
        matters: null,
        ip: request.ip,
      })
      return {
        kind: 'portal',
        client_id,
        client,
        client_name: client,
        user_reference: user,
        session_id: `session ${user}`,
        roles: named,
        user_group: null,
        group_id: null,
        group_references: null,
        access,
        terms_accepted_at: 1,
        session_expires_at: 4_102_444_800,
        is_provider: false,
      }
    },
    authenticateDevice: async () => {
      throw new Problem('device_authentication_required')
    },
    plugins: [mediaRoutes, archiveRoutes].map((routes) =>
      routes(ctx, {
        access: book,
        sessionOfRequest: (request, { session_id }) => {
          const own = `session ${String(request.headers['x-user'])}`
          return own === session_id ? own : undefined
        },
        appOfRequest: async () => undefined,
        openBag: openBag(ctx),
      }),
    ),
    portalFolder: join(folder, 'portal'),
    strict: true,
    watched: watch(ctx),
    isEnding: () => false,
    log,
  })
  made.defer(async () => {
    app.server.closeAllConnections()
    await app.close()
  })
  for (const [user, { client_id }] of [
    ['ann', acme] as const,
    ['ben', acme] as const,
    ['eve@other', other] as const,
  ]) {
    await sql(
      `insert into portal_sessions (session_id, client_id, user_reference, roles, refresh_hash, rotated_at, checked_at, created_at, expires_at)
       values ($1, $2, $3, '{Compliance Manager}', $4, 0, 0, 0, 9000000000)`,
      [`session ${user}`, client_id, user, Buffer.from(user)],
    )
  }
  const all = made.move()
  return {
    ctx,
    app,
    acme,
    other,
    roles,
    async get(user, path) {
      const answer = await app.inject({ url: path, headers: { 'x-user': user } })
      return { status: answer.statusCode, body: answer.json() }
    },
    advance,
    async store(payload_reference, kind, content_type, bytes, details = {}) {
      const dek = Buffer.alloc(32, 7)
      const object_key = `acme/${ulid()}`
      const source = async function* () {
        yield bytes
      }
      const aad = associatedData({ client: 'acme', payload_reference, kind })
      const { size } = await ctx.objects.put(object_key, seal(dek, aad, source()))
      await sql(
        `insert into payload_objects (client_id, payload_id, kind, object_key, wrapped_dek, sealed_size, size, content_type, details, created_at)
         select client_id, payload_id, $2, $3, $4, $5, $6, $7, $8, 0 from payloads where payload_reference = $1`,
        [
          payload_reference,
          kind,
          object_key,
          await ctx.keys.wrap(dek, dekContext('acme', payload_reference)),
          size,
          bytes.length,
          content_type,
          JSON.stringify(details),
        ],
      )
      return { object_key }
    },
    async setState(payload_reference, state) {
      await sql('alter table payloads disable trigger payload_transition')
      await sql('update payloads set state = $2 where payload_reference = $1', [
        payload_reference,
        STATE_CODES[state],
      ])
    },
    close: () => all.disposeAsync(),
  }
}
