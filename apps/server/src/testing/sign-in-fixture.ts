import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import Fastify from 'fastify'
import { AccessCache } from '../access/load.ts'
import { accountRoutes } from '../account/defaults.ts'
import type { AppContext } from '../app-context.ts'
import { buildApp } from '../app.ts'
import { watch } from '../health/metrics.ts'
import { Problem } from '../http/problem.ts'
import { identityProviders } from '../identity-providers/providers.ts'
import { getEgress } from '../ports/egress/guard.ts'
import { DEMO_CAST, hashPassword, PUBLIC_COST } from '../ports/identity/people.ts'
import { makeSessions, type Sessions } from '../sessions/make-sessions.ts'
import { sessionRoutes } from '../sessions/routes.ts'
import { supportMode } from '../support-access/enter-support-mode.ts'
import { Browser } from './browser.ts'
import { testContext, getId } from './test-context.ts'

type Listener = (request: IncomingMessage, response: ServerResponse) => void

interface Activity {
  user_reference: string
  action: string
  is_allowed: boolean
  denial_reason: string | null
  status_code: number
}

export interface SignInFixture {
  ctx: AppContext
  sessions: Sessions
  publicUrl: string
  /** Lines of the log. */
  logged: string[]
  /** Advances the server's clock, which is otherwise fixed, by seconds. The provider has its own clock. */
  advance(seconds: number): void
  browser(): Browser
  /** A new process on the same database and keys, at the same address in place of the first. */
  restart(): Promise<void>
  /** One more process on the same database and keys, as behind a load balancer. */
  startAnother(): Promise<{ address: string; browser: () => Browser }>
  client_id(client: string): Promise<number>
  /** Entries of the client's audit log for which an SQL condition holds, newest first. */
  activities(client: string, where: string): Promise<Activity[]>
  close(): Promise<void>
}

/**
 * A server with sign-in routes only, on its own database with the clients acme, globex and admin and the demo cast.
 * With `publicUrl` it assumes a proxy in front.
 */
export async function signInFixture(
  options: { publicUrl?: string; env?: Record<string, string> } = {},
): Promise<SignInFixture> {
  await using made = new AsyncDisposableStack()
  const first = await openListener()
  const listeners = [first]
  const closeListeners = async () => {
    for (const listener of listeners) await listener.close()
  }
  made.defer(closeListeners)
  const { address } = first
  const publicUrl = options.publicUrl ?? address
  const logged: string[] = []
  const note = (...parts: unknown[]) =>
    void logged.push(
      parts
        .map((each) => (each instanceof Object ? JSON.stringify(each, errorsAsText) : String(each)))
        .join(' '),
    )
  const { log: silent } = Fastify()
  const log = Object.assign(Object.create(silent) as typeof silent, { warn: note, error: note, info: note })
  const { context, advance, close } = await testContext({ PUBLIC_URL: publicUrl, ...options.env })
  made.defer(async () => {
    await closeListeners()
    await close()
  })
  const ctx = { ...context, egress: getEgress(context.config), log } as Partial<AppContext> as AppContext
  await seed(ctx)

  /** Starts a process of the installation, which shares only database and keys with others. */
  async function start(listener: TestListener): Promise<Sessions> {
    const access = new AccessCache(ctx.db)
    const sessions = await makeSessions(ctx, {
      access,
      otherProviders: (embedded, way) => identityProviders(ctx, embedded, way),
      authenticateApp: async () => undefined,
      enterSupportMode: supportMode(ctx, access),
      loopback: () => listener.address,
    })
    const app = await buildApp({
      ctx,
      handlers: { ...sessionRoutes(sessions), ...accountRoutes(ctx) },
      authenticatePortal: sessions.authenticatePortal,
      authenticateDevice: async () => {
        throw new Problem('device_authentication_required')
      },
      plugins: [],
      portalFolder: 'no-portal',
      strict: true,
      watched: watch(ctx),
      isEnding: () => false,
      log,
    })
    await app.ready()
    listener.serve = (request, response) =>
      request.url?.startsWith('/oidc/') && sessions.identityProvider
        ? sessions.identityProvider.listener(request, response)
        : app.routing(request, response)
    return sessions
  }

  const sessions = await start(first)
  const all = made.move()
  const result: SignInFixture = {
    ctx,
    sessions,
    publicUrl,
    logged,
    advance,
    browser: () => new Browser(publicUrl, address),
    restart: async () => {
      result.sessions = await start(first)
    },
    async startAnother() {
      const listener = await openListener()
      listeners.push(listener)
      await start(listener)
      return { address: listener.address, browser: () => new Browser(publicUrl, listener.address) }
    },
    client_id: (client) => getId(ctx.db, client),
    async activities(client, where) {
      const { rows } = await ctx.db.read(await result.client_id(client), (q) =>
        q.query<Activity>(
          `select user_reference, action, is_allowed, denial_reason, status_code from portal_activities
           where ${where} order by log_id desc`,
        ),
      )
      return rows
    },
    close: () => all.disposeAsync(),
  }
  return result
}

interface TestListener {
  address: string
  serve: Listener
  close(): Promise<void>
}

/** A loopback listener whose handler is set later. */
async function openListener(): Promise<TestListener> {
  const server = createServer((request, response) => listener.serve(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const listener: TestListener = {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    serve: (_request, response) => void response.writeHead(503).end(),
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return listener
}

const errorsAsText = (_key: string, value: unknown): unknown =>
  value instanceof Error ? `${value.message} ${errorsAsText('', value.cause) ?? ''}` : value

async function seed({ db }: AppContext): Promise<void> {
  await db.globalWrite(async (tx) => {
    for (const client of ['acme', 'globex', 'admin']) {
      await tx.query(
        `insert into clients (client, client_name, is_provider, account_key, created_at) values ($1, $2, $3, '', 0)`,
        [client, client.toUpperCase(), client === 'admin'],
      )
    }
    for (const person of DEMO_CAST) {
      await tx.query('insert into oidc_people values ($1, $2, $3, $4, $5, $6, $7)', [
        person.client,
        person.user_reference,
        await hashPassword(`${person.user_reference}-demo`, PUBLIC_COST),
        person.roles,
        person.user_group ?? null,
        person.groups,
        person.description['en-GB'],
      ])
    }
  })
}
