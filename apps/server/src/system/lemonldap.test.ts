/** A client whose people sign in at a third-party identity provider: LemonLDAP::NG. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type ClaimMapping, CLAIM_PRESETS, DEFAULT_CLAIM_MAPPING } from '@custodia/contract'
import { decodeJwt } from 'jose'
import { checkClientProvider, saveClientProvider } from '../identity-providers/settings.ts'
import { writeClaimMapping } from '../identity-providers/store.ts'
import { Browser } from '../testing/browser.ts'
import { reservePort } from '../testing/daemon.ts'
import { type Lemonldap, lemonldapAvailable, startLemonldap } from '../testing/lemonldap.ts'
import { requirePart } from '../testing/require-part.ts'
import { type TestServer, testServer } from '../testing/server.ts'

describe('sign-in through LemonLDAP::NG', requirePart('LemonLDAP::NG', lemonldapAvailable()), () => {
  let lemonldap: Lemonldap
  let server: TestServer
  let redirect_uri: string
  before(async () => {
    const port = await reservePort()
    redirect_uri = `http://127.0.0.1:${port}/sign-in`
    lemonldap = await startLemonldap(redirect_uri, {
      roles: { dwho: ['Auditor', 'Compliance Reviewer'], rtyler: [] },
      user_group: { dwho: 'North' },
    })
    server = await testServer({ PORT: String(port), EGRESS_ALLOW: lemonldap.issuer })
    await useProvider('acme', lemonldap.client_ids[0])
  })
  after(async () => {
    await server?.close()
    await lemonldap?.stop()
  })

  async function useProvider(client: string, oidc_client_id: string): Promise<void> {
    const { ctx } = server
    const { issuer, client_secret } = lemonldap
    const checked = await checkClientProvider(ctx, { issuer, oidc_client_id, client_secret })
    await ctx.db.write(await server.getId(client), (tx) => saveClientProvider(ctx, tx, checked))
  }
  const sql = <Row>(text: string, values: unknown[] = []) =>
    server.ctx.db.globalWrite((tx) => tx.query<Row & object>(text, values))
  const browser = () => new Browser(server.url, server.url, [lemonldap.issuer])

  it('signs users in with their roles and their group', async () => {
    const person = browser()
    const { body } = await person.json('/admin/v1/api/acme/url')
    const url = new URL(String(body.url))
    assert.equal(url.origin, lemonldap.issuer)
    const form = await person.openForm(url.href)
    const wrong = await person.send(form.action, {
      method: 'POST',
      body: new URLSearchParams([...form.hidden, ['user', 'dwho'], ['password', 'wrong']]),
    })
    assert.equal(wrong.headers.get('location'), null, 'a wrong password leads nowhere')

    const tokens = await browser().signIn('acme', 'dwho', 'dwho')
    const profile = await person.profile('acme', tokens.id_token)
    assert.equal(profile.status, 200, JSON.stringify(profile.body))
    assert.equal(profile.body.user_reference, 'dwho')
    assert.deepEqual(profile.body.roles, ['Auditor', 'Compliance Reviewer'])
    assert.equal(profile.body.user_group, 'North')
    assert.ok((profile.body.actions as string[]).includes('payloads:play'))
    assert.equal((await person.profile('globex', tokens.id_token)).status, 404)

    const poor = await browser().signIn('acme', 'rtyler', 'rtyler')
    assert.deepEqual((await person.profile('acme', poor.id_token)).body.actions, [])
    const { rows } = await server.ctx.db.read(await server.getId('acme'), (q) =>
      q.query(
        `select distinct user_reference from portal_activities where action = 'session:sign_in' and is_allowed order by 1`,
      ),
    )
    assert.deepEqual(rows, [{ user_reference: 'dwho' }, { user_reference: 'rtyler' }])
  })

  it('gives roles and groups by the claim mapping of the client', async (t) => {
    const write = async (mapping: ClaimMapping) =>
      server.ctx.db.write(await server.getId('acme'), (tx) =>
        writeClaimMapping(tx, mapping, { updated_at: null, updated_by: null }),
      )
    t.after(() => write(DEFAULT_CLAIM_MAPPING))
    const rule = { value: 'Auditor', roles: ['Regulatory Producer'], groups: ['North'], all_groups: false }
    await write({ ...CLAIM_PRESETS.lemonldap, roles: 'roles', groups: 'roles', rules: [rule] })
    const { id_token } = await browser().signIn('acme', 'dwho', 'dwho')
    const { body } = await browser().profile('acme', id_token)
    assert.deepEqual(
      [body.user_reference, body.roles, body.groups],
      ['dwho', ['Regulatory Producer'], ['North']],
    )
    const { rows } = await sql<{ display_name: string }>(
      'select display_name from portal_sessions where session_id = $1',
      [decodeJwt(id_token).sid],
    )
    assert.deepEqual(rows, [{ display_name: 'Doctor Who' }])
  })

  it('keeps a session while the provider’s own session lasts', async () => {
    const person = browser()
    const { refresh_token, id_token } = await person.signIn('acme', 'dwho', 'dwho')
    const session_id = decodeJwt(id_token).sid
    const makeDue = () =>
      sql('update portal_sessions set checked_at = checked_at - 300 where session_id = $1', [session_id])
    const checkedAt = async () => {
      const { rows } = await sql<{ checked_at: number }>(
        'select checked_at from portal_sessions where session_id = $1',
        [session_id],
      )
      return rows[0]?.checked_at ?? 0
    }
    await makeDue()
    const due = await checkedAt()
    assert.equal((await person.refresh('acme', refresh_token)).status, 200)
    assert.ok((await checkedAt()) >= due + 300, 'the provider was asked')

    const out = await person.send(`${lemonldap.issuer}/?logout=1`)
    assert.equal(out.status, 200)
    await makeDue()
    const ended = await person.refresh('acme', refresh_token)
    assert.deepEqual([ended.status, ended.body.code], [401, 'session_ended'])
    const { rows } = await sql('select end_reason from portal_sessions where session_id = $1', [session_id])
    assert.deepEqual(rows, [{ end_reason: 'provider_refused' }])
  })

  it('signs users out and offers the sign-out address of the provider', async () => {
    const person = browser()
    const { id_token } = await person.signIn('acme', 'dwho', 'dwho')
    const { body } = await person.signOut('acme', id_token)
    const url = new URL(String(body.sign_out_url))
    assert.equal(url.origin, lemonldap.issuer)
    assert.equal(url.searchParams.get('post_logout_redirect_uri'), redirect_uri)
    assert.equal((await person.profile('acme', id_token)).status, 401)
  })

  it('refuses users without a client claim once the provider serves two clients', async () => {
    await useProvider('globex', lemonldap.client_ids[1])
    for (const client of ['acme', 'globex']) {
      const person = browser()
      const { status, body } = await person.exchange(client, await person.authorise(client, 'dwho', 'dwho'))
      assert.deepEqual([status, body.code], [400, 'sign_in_refused'])
    }
  })
})
