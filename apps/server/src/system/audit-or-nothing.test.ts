import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { api, type Endpoint, type EndpointName } from '@custodia/contract'
import { testIssuer } from '../testing/issuer.ts'
import { LONG } from '../testing/long.ts'
import { testServer } from '../testing/server.ts'
import { APP_ORIGIN, type Call, everyCall } from './matrix/calls.test-support.ts'
import { type Principal, principals } from './matrix/principals.test-support.ts'
import { makeTargets } from './matrix/targets.test-support.ts'

/** Tables and a column that are written without a request. */
const UNASKED_TABLES = [
  'statistics',
  'oidc_items',
  // They take entries of earlier calls a moment later.
  'sealed_checkpoints',
  'sealed_batches',
  'sealed_nodes',
]
const UNASKED_COLUMN = 'last_seen'

/** Principals whose calls succeed, as the matrix shows. `npm run test:long` covers the others, whose calls are refused. */
const ALLOWED = ['administrator', 'device', 'provider']

const issuer = await testIssuer()
// The clock is fixed: after midnight, the use of an alertable role raises another alert.
const started = Math.floor(Date.now() / 1000)
const server = await testServer({ EGRESS_ALLOW: `${issuer.issuer},${APP_ORIGIN}` }, { now: () => started })
await makeTargets(server.ctx.db, server.ctx.now())
const everybody = (await principals(server, issuer)).filter(({ name }) => LONG || ALLOWED.includes(name))

describe('API calls that must be audited', () => {
  const calls = everyCall().filter(({ name, target }) => {
    const { authentication } = api[name as EndpointName] as Endpoint
    return target === 'own' && (authentication === 'portal' || authentication === 'device')
  })
  after(async () => {
    await server?.close()
    await issuer?.close()
  })

  /** Every table's content and the queued jobs, as one digest each. */
  async function digests(): Promise<Record<string, string>> {
    const rows = await server.sql(
      `select relname as name from pg_class where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace and not relispartition`,
    )
    const jobs = await server.sql(
      `select string_agg(name || ' ' || id, ',' order by id) as digest from pgboss.job`,
    )
    const found: Record<string, string> = { jobs: jobs[0]?.digest ?? '' }
    for (const { name = '' } of rows) {
      if (UNASKED_TABLES.includes(name)) continue
      const digest = await server.sql(
        `select md5(coalesce(string_agg((to_jsonb(t) - '${UNASKED_COLUMN}')::text, ',' order by (to_jsonb(t) - '${UNASKED_COLUMN}')::text), '')) as digest from ${name} t`,
      )
      found[name] = digest[0]?.digest ?? ''
    }
    return found
  }
  const ask = async ({ method, url, body }: Call, principal: Principal) => {
    const authorization = await principal.authorization()
    return server.app.inject({
      method,
      url,
      headers: {
        ...(authorization === undefined ? {} : { authorization }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
    })
  }

  it('fail and change nothing when the audit log entry cannot be written', async () => {
    // The use of an alertable role raises its alert before the call begins: here once, ahead of time.
    for (const principal of everybody)
      for (const call of calls.filter(({ method }) => method === 'GET')) await ask(call, principal)
    const before = await digests()
    const logs = 'portal_activities, device_activities'
    await server.sql(`revoke insert on ${logs} from custodia_app`)
    try {
      for (const principal of everybody) {
        for (const call of calls) {
          const { statusCode, body } = await ask(call, principal)
          // A phone's poll without commands leaves no entry (docs/fleet.md).
          if (call.name === 'fetchCommands' && body === '{"commands":[]}') continue
          assert.ok(statusCode >= 400, `${call.name} as ${principal.name}: ${statusCode} ${body}`)
        }
      }
      assert.deepEqual(await digests(), before)
    } finally {
      await server.sql(`grant insert on ${logs} to custodia_app`)
    }
  })
})
