import assert from 'node:assert/strict'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { JWTPayload } from 'jose'
import { openDatabase } from '../ports/database/pool.ts'
import { Browser } from '../testing/browser.ts'
import { custodia as command } from '../testing/command.ts'
import { mainProcess, removeFolder, reservePort } from '../testing/daemon.ts'
import { emptyDatabase } from '../testing/database.ts'
import { testProvider } from '../testing/identity-provider.ts'
import { uploadMessage } from '../testing/phones.ts'
import { FAST_DATABASE, UNLIMITED } from '../testing/test-context.ts'

const made = new AsyncDisposableStack()
const provider = await testProvider('custodia')
after(() => made.disposeAsync())
made.defer(() => provider.close())
const database = await emptyDatabase()
made.defer(() => database.drop())
const dataDir = await mkdtemp(join(tmpdir(), 'custodia-first-'))
made.defer(() => removeFolder(dataDir))
const port = String(await reservePort())
const env = {
  DATABASE_URL: database.connection,
  CUSTODIA_DATA: dataDir,
  PORT: port,
  PUBLIC_URL: `http://127.0.0.1:${port}`,
  OIDC_ISSUER: provider.issuer,
  OIDC_CLIENT_ID: 'custodia',
  ...FAST_DATABASE,
  ...UNLIMITED,
}

/** Runs a command of the operator. */
const custodia = (...argv: string[]) => command(env, ...argv)

/** A sign-in at the outside provider, which says this of the person. */
async function signIn(client: string, claims: JWTPayload) {
  const origin = env['PUBLIC_URL'] ?? ''
  const browser = new Browser(origin)
  const { body } = await browser.json(`/admin/v1/api/${client}/url`)
  const url = new URL(String(body.url))
  assert.equal(url.origin, provider.issuer)
  provider.answer = async () => ({
    access_token: 'a',
    token_type: 'bearer',
    expires_in: 600,
    id_token: await provider.sign({ ...claims, nonce: url.searchParams.get('nonce') }),
  })
  const returned = new URL(`${origin}/sign-in?code=code-of-the-provider`)
  returned.searchParams.set('state', url.searchParams.get('state') ?? '')
  const answer = await browser.exchange(client, returned)
  if (answer.status !== 200) return { status: answer.status, roles: undefined }
  const profile = await browser.profile(client, String(answer.body.id_token))
  return { status: 200, roles: profile.body.roles }
}

test('an operator starts from an empty database: bootstrap, tenant create, the first administrator signs in through an outside OpenID provider, a device enrols and uploads', async (t) => {
  const asked = ['bootstrap', '--name=Custodia Ltd', '--administrator=dora@custodia.example']
  const early = await custodia('tenant', 'list')
  assert.equal(early.code, 1, early.out)
  const first = await custodia(...asked)
  assert.equal(first.code, 0, first.out)
  assert.ok(first.out.includes(`${env['PUBLIC_URL']}/sign-in?client=admin`), first.out)
  const again = await custodia(...asked)
  assert.deepEqual([again.code, /Nothing was changed/.test(again.out)], [0, true], again.out)
  const other = await custodia('bootstrap', '--name=Custodia Ltd', '--administrator=mallory@custodia.example')
  assert.deepEqual([other.code, /first administrator dora@/.test(other.out)], [1, true], other.out)

  const create = await custodia(
    'tenant',
    'create',
    'acme',
    '--name=Acme Capital',
    '--administrator=jane@acme.example',
    '--licences=100',
    '--json',
  )
  assert.equal(create.code, 0, create.out)
  const { account_key, enrolment } = JSON.parse(create.out) as { account_key: string; enrolment: string }
  const twice = await custodia('tenant', 'create', 'acme', '--name=Acme', '--administrator=mallory')
  assert.deepEqual([twice.code, /already/.test(twice.out)], [1, true], twice.out)

  const entra = ['--name=Beta Bank', '--administrator=ben@beta.example', '--claims=entra']
  const beta = await custodia('tenant', 'create', 'beta', ...entra)
  assert.equal(beta.code, 0, beta.out)
  const unknown = await custodia('tenant', 'create', 'gamma', ...entra.slice(0, 2), '--claims=entry')
  assert.deepEqual([unknown.code, /entra, okta/.test(unknown.out)], [2, true], unknown.out)

  const server = await mainProcess(env)
  t.after(() => server.daemon.stop())
  assert.deepEqual((await signIn('admin', { sub: 'dora@custodia.example' })).roles, [
    'Provider Administrator',
    'Account Administrator',
  ])
  const jane = { sub: 'jane@acme.example' }
  assert.deepEqual((await signIn('acme', jane)).roles, ['Account Administrator'])
  const foreign = { ...jane, roles: ['offline_access'] }
  assert.deepEqual((await signIn('acme', foreign)).roles, ['Account Administrator'], 'no role of the account')
  const claimed = { ...jane, roles: ['Auditor'] }
  assert.deepEqual((await signIn('acme', claimed)).roles, ['Auditor'], 'the provider of the identity decides')
  assert.equal(
    (await signIn('acme', { sub: 'dora@custodia.example' })).status,
    400,
    'another person of a shared provider',
  )
  const ben = { sub: 'AAAAAAAAopaque', preferred_username: 'ben@beta.example' }
  assert.deepEqual((await signIn('beta', ben)).roles, ['Account Administrator'], 'named as Entra names him')
  const namesake = { sub: 'another subject', user_reference: 'jane@acme.example' }
  assert.equal((await signIn('acme', namesake)).status, 400)

  const renamed = await custodia('tenant', 'administrator', 'acme', '--administrator=john@acme.example')
  assert.equal(renamed.code, 0, renamed.out)
  assert.deepEqual((await signIn('acme', { sub: 'john@acme.example' })).roles, ['Account Administrator'])
  assert.equal((await signIn('acme', jane)).status, 400)

  await uploadMessage(enrolment)

  const suspended = await custodia('tenant', 'suspend', 'acme', '--reason=The contract has ended')
  assert.equal(suspended.code, 0, suspended.out)
  const kept = await custodia('tenant', 'delete', 'acme')
  assert.deepEqual([kept.code, /payloads \(1\).*no person yet/s.test(kept.out)], [0, true], kept.out)
  const none = await custodia('tenant', 'certificate', 'acme')
  assert.equal(none.code, 1, none.out)

  const db = await openDatabase({ connection: env['DATABASE_URL'] ?? '', appName: 'first tenant test' })
  t.after(() => db.close())
  const { rows } = await db.owner.query<{ client: string; action: string; parameters: string }>(
    `select client, action, parameters from portal_activities join clients using (client_id)
     where user_reference = 'operator (system)' order by action desc, client`,
  )
  assert.deepEqual(
    rows.map(({ client, action }) => `${client} ${action}`),
    [
      'acme operator:first_administrator',
      'admin operator:first_administrator',
      'admin operator:bootstrap',
      'acme internal.clients:suspend',
      'admin internal.clients:suspend',
      'acme internal.clients:create',
      'admin internal.clients:create',
      'admin internal.clients:create',
      'beta internal.clients:create',
    ],
  )
  assert.ok(rows.every(({ parameters }) => !parameters.includes(account_key)))
})
