import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { ApiProblem, type Client, makeClient } from '@custodia/client'
import type { TransferConfigInput } from '@custodia/contract'
import { associatedData, unwrapSecret } from '@custodia/envelope'
import { generateKey } from 'openpgp'
import { transferConfigContext } from '../ports/keys/contexts.ts'
import { allow, assertDone, roleInput } from '../testing/access-fixture.ts'
import { openSession } from '../testing/alert-fixture.ts'
import { testServer } from '../testing/server.ts'

const code = (expected: string) => (error: unknown) => error instanceof ApiProblem && error.code === expected

const HOST_KEY = `SHA256:${'A'.repeat(43)}`
const SFTP = {
  target_type: 'SFTP' as const,
  server: 'files.bank-example.com',
  port: 22,
  username: 'custodia',
  root_directory: '/in',
  host_key: HOST_KEY,
}
const S3 = {
  target_type: 'S3' as const,
  destination: 's3://bank-records/in',
  region: 'eu-west-1',
  iam_role_arn: 'arn:aws:iam::123456789012:role/custodia',
}
const CONFIG: TransferConfigInput = {
  transfer_type: 'Payload',
  payload_types: ['Call', 'SMS'],
  schedule: 'rate(1 day)',
  pgp_key: null,
  transfer_file_format: 'Uncompressed',
  params: SFTP,
  is_active: true,
  sftp_password: 'returned never',
}
const NO_KEY = '-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nmDME\n-----END PGP PUBLIC KEY BLOCK-----\n'

describe('a transfer config', () => {
  let server: Awaited<ReturnType<typeof testServer>>
  let root: Client

  before(async () => {
    server = await testServer()
    root = await person('root', 'Account Administrator')
  })
  after(() => server?.close())
  beforeEach(() => server.sql('delete from transfer_configs'))

  async function person(user_reference: string, role: string, client = 'acme'): Promise<Client> {
    const token = await openSession(server.ctx, { client, user_reference, roles: [role] })
    return makeClient({ baseUrl: server.url, client: () => client, credentials: async () => ({ token }) })
  }
  const at = (transfer_config_reference: string) => ({ params: { transfer_config_reference } })
  const add = (reference: string, change: object = {}) =>
    assertDone(root.createTransferConfig({ ...at(reference), body: { ...CONFIG, ...change } }))
  const put = (reference: string, change: object = {}, if_match?: string) => {
    const { sftp_password: _secret, ...kept } = CONFIG
    return assertDone(
      root.updateTransferConfig({ ...at(reference), body: { ...kept, ...change } }, { if_match }),
    )
  }
  const faults = async (call: Promise<unknown>): Promise<string[]> => {
    const problem = await call.then(
      () => undefined,
      (error: unknown) => error,
    )
    assert.ok(problem instanceof ApiProblem, 'it went through')
    return (problem.faults ?? []).map(({ path, code: fault }) => `${path} ${fault}`)
  }
  const row = async (reference: string) =>
    (
      await server.sql<Record<string, Buffer | null>>(
        'select wrapped_key, zip_password, sftp_password, sftp_private_key from transfer_configs where transfer_config_reference = $1',
        [reference],
      )
    )[0] ?? {}
  async function opened(reference: string, secret: string): Promise<string | null> {
    const { [secret]: sealed, wrapped_key } = await row(reference)
    if (!sealed || !wrapped_key) return null
    const key = await server.ctx.keys.unwrap(wrapped_key, transferConfigContext('acme', reference))
    const aad = associatedData({
      client: 'acme',
      payload_reference: reference,
      kind: `${secret} of a transfer config`,
    })
    return unwrapSecret(key, sealed, aad).toString()
  }

  it('keeps its settings, and never returns or logs a secret', async () => {
    const reference = 'Bank:in/daily_1-a'
    const { publicKey } = await generateKey({ userIDs: [{ name: 'Bank' }], format: 'armored' })
    const PGP = publicKey.replaceAll('\r\n', '\n')
    const made = await add(reference, {
      transfer_file_format: 'ZippedWithPassword',
      pgp_key: PGP,
      zip_password: 'zip secret',
      sftp_private_key: 'key\nsecret',
    })
    const { sftp_password: _secret, ...settings } = CONFIG
    const { version, updated_at, next_runs, ...result } = made
    assert.equal(next_runs.length, 5)
    assert.deepEqual(result, {
      ...settings,
      transfer_config_reference: reference,
      groups: null,
      role_reference: null,
      client: 'acme',
      transfer_file_format: 'ZippedWithPassword',
      pgp_key: PGP,
      has_zip_password: true,
      has_sftp_password: true,
      has_sftp_private_key: true,
      updated_by: 'root',
    })
    assert.ok(version && updated_at)
    const reached_groups = { is_all: false, count: 0, first: [] }
    assert.deepEqual(await root.readTransferConfig(at(reference)), { ...made, reached_groups })
    const list = await root.listTransferConfigs({ query: { search: 'DAILY' } })
    assert.deepEqual(list.data, [made])
    assert.deepEqual(await root.listTransferConfigs({ query: { type: 'total' } }), { total: 1 })
    const encrypted = await add('encrypted', { transfer_file_format: 'PGP', pgp_key: PGP })
    assert.equal(encrypted.transfer_file_format, 'PGP')
    await root.deleteTransferConfig(at('encrypted'))
    assert.equal(await opened(reference, 'zip_password'), 'zip secret')
    assert.equal(await opened(reference, 'sftp_private_key'), 'key\nsecret')
    const kept = await server.sql(`select to_jsonb(t)::text as kept from transfer_configs t`)
    const logged = await server.sql(`select to_jsonb(a)::text as kept from portal_activities a`)
    for (const secret of ['zip secret', 'returned never']) {
      const hex = Buffer.from(secret).toString('hex')
      assert.ok(![...kept, ...logged].some((each) => String(each.kept).includes(secret)), secret)
      assert.ok(!String(kept[0]?.kept).includes(hex), secret)
    }
    const actions = logged
      .map((each) => String(each.kept))
      .filter((each) => each.includes('transfer_configs:create'))
    assert.ok(actions.some((each) => each.includes(reference)))
  })

  it('keeps omitted secrets, but requires server secrets again for another server', async () => {
    await add('keeps', { zip_password: 'zip' })
    const { wrapped_key } = await row('keeps')
    await put('keeps', { is_active: false, schedule: null })
    assert.equal(await opened('keeps', 'sftp_password'), 'returned never')
    assert.deepEqual((await row('keeps')).wrapped_key, wrapped_key)
    await put('keeps', { sftp_password: 'another' })
    assert.equal(await opened('keeps', 'sftp_password'), 'another')
    assert.equal(await opened('keeps', 'zip_password'), 'zip')
    for (const change of [
      { server: 'elsewhere' },
      { port: 2222 },
      { username: 'else' },
      { host_key: HOST_KEY.replace('AA', 'BB') },
    ]) {
      const params = { ...SFTP, ...change }
      assert.deepEqual(await faults(put('keeps', { params })), ['sftp_password required'])
    }
    await put('keeps', { params: { ...SFTP, root_directory: '/elsewhere' } })
    await put('keeps', { params: S3 })
    assert.equal(await opened('keeps', 'sftp_password'), null)
    assert.equal(await opened('keeps', 'zip_password'), 'zip')
    const { has_zip_password } = await put('keeps', { params: S3, zip_password: null })
    assert.equal(has_zip_password, false)
    assert.deepEqual(Object.values(await row('keeps')), [null, null, null, null])
  })

  it('is created once, and rejects changes based on a stale version', async () => {
    const { version } = await add('once')
    await assert.rejects(add('once'), code('already_exists'))
    await assert.rejects(put('none'), code('not_found'))
    await assert.rejects(root.readTransferConfig(at('none')), code('not_found'))
    await assert.rejects(root.deleteTransferConfig(at('none')), code('not_found'))
    const next = await put('once', { sftp_password: 'another' }, version)
    assert.notEqual(next.version, version)
    await assert.rejects(put('once', {}, version), code('changed_meanwhile'))
    await assert.rejects(
      root.deleteTransferConfig(at('once'), { if_match: version }),
      code('changed_meanwhile'),
    )
    await root.deleteTransferConfig(at('once'), { if_match: next.version })
    assert.deepEqual(await server.sql('select from transfer_configs'), [])
    const both = await Promise.allSettled([add('both'), add('both')])
    assert.deepEqual(both.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected'])
    // Another config of that name would take over the deliveries of the deleted one.
    await root.deleteTransferConfig(at('both'))
    await server.sql(
      `insert into transfer_runs (client_id, transfer_id, transfer_config_reference, transfer_type, report_to, created_at, updated_by)
       select client_id, 'former', 'both', 'Payload', 1, 1, 'root' from clients where client = 'acme'`,
    )
    await assert.rejects(add('both'), code('already_exists'))
  })

  it('accepts the values of the specification, and rejects others', async () => {
    const { port: _port, ...noPort } = SFTP
    const { params } = await add('c'.repeat(255), { params: noPort })
    assert.ok(params.target_type === 'SFTP' && params.port === 22)
    await add('min', { params: { ...SFTP, port: 1, server: 's'.repeat(255) } })
    await add('all', {
      payload_types: ['Call', 'Interview', 'Photo', 'MMS', 'RCS', 'SMS', 'Video'],
      params: { ...SFTP, port: 65_535 },
    })
    await add('off', { is_active: false, params: { ...SFTP, host_key: null }, sftp_password: null })
    await add('s3x', { transfer_type: 'Report', schedule: 'cron(0 6 ? * MON-FRI *)', params: S3 })
    const { region: _region, ...noRegion } = S3
    const bucket = (await add('s3y', { params: noRegion })).params
    assert.ok(bucket.target_type === 'S3' && bucket.region === 'us-east-1')
    const wrong: [string, object, string][] = [
      ['ab', {}, 'transfer_config_reference too_short'],
      ['c'.repeat(256), {}, 'transfer_config_reference too_long'],
      ['a b', {}, 'transfer_config_reference transfer_config_reference'],
      ['bad', { payload_types: [] }, 'payload_types too_few'],
      ['bad', { payload_types: ['AbortedCall'] }, 'payload_types.0 not_an_option'],
      ['bad', { payload_types: ['Diagnostics'] }, 'payload_types.0 not_an_option'],
      ['bad', { schedule: 'daily' }, 'schedule schedule'],
      ['bad', { schedule: 'cron(0 6 * * * *)' }, 'schedule schedule'],
      ['bad', { schedule: 'cron(0 0 31 2 ? *)' }, 'schedule schedule_never'],
      ['bad', { schedule: 'cron(0 0 1 1 ? 2025)' }, 'schedule schedule_never'],
      ['bad', { pgp_key: 'PRIVATE' }, 'pgp_key pgp_key'],
      ['bad', { pgp_key: NO_KEY }, 'pgp_key pgp_key'],
      ['bad', { transfer_file_format: 'PGP' }, 'pgp_key required'],
      ['bad', { transfer_file_format: 'Tar' }, 'transfer_file_format not_an_option'],
      ['bad', { transfer_file_format: 'ZippedWithPassword' }, 'zip_password required'],
      ['bad', { params: { ...SFTP, server: 'ho st' } }, 'params.server sftp_reference'],
      ['bad', { params: { ...SFTP, username: 'me@there' } }, 'params.username sftp_reference'],
      ['bad', { params: { ...SFTP, server: 's'.repeat(256) } }, 'params.server too_long'],
      ['bad', { params: { ...SFTP, port: 0 } }, 'params.port too_small'],
      ['bad', { params: { ...SFTP, port: 65_536 } }, 'params.port too_big'],
      ['bad', { params: { ...SFTP, root_directory: 'in' } }, 'params.root_directory leading_slash'],
      ['bad', { params: { ...SFTP, host_key: null } }, 'params.host_key required'],
      ['bad', { params: { ...SFTP, root_directory: '/in/../out' } }, 'params.root_directory invalid'],
      ['bad', { params: { ...S3, destination: 'https://bucket' } }, 'params.destination s3_address'],
      ['bad', { params: { ...S3, destination: 's3://My_Bucket' } }, 'params.destination s3_bucket'],
      ['bad', { params: { ...S3, destination: 's3://b' } }, 'params.destination s3_bucket'],
      ['bad', { params: { ...S3, destination: 's3://bucket/in/..' } }, 'params.destination invalid'],
      ['bad', { params: { ...S3, destination: 's3://bucket/in\\out' } }, 'params.destination invalid'],
      ['bad', { params: { ...S3, iam_role_arn: 'arn:aws:iam::1:user/root' } }, 'params.iam_role_arn iam_arn'],
      ['bad', { sftp_password: null }, 'sftp_password required'],
      ['bad', { sftp_password: 'p'.repeat(256) }, 'sftp_password too_long'],
    ]
    // An empty schedule counts as none.
    await add('unplanned', { schedule: '' })
    assert.equal((await root.readTransferConfig(at('unplanned'))).schedule, null)
    for (const [reference, change, fault] of wrong) {
      const found = await faults(add(reference, change))
      assert.ok(found.includes(fault), `${fault}, not ${found.join()}`)
    }
  })

  it('rejects a schedule that never runs, and can be switched off after its last run', async () => {
    const leap = 'cron(0 0 29 2 ? *)'
    assert.equal((await add('leap', { schedule: leap })).next_runs.length, 5)
    const never = ['schedule schedule_never']
    for (const schedule of ['cron(0 0 31 2 ? *)', 'cron(0 0 29 2 ? 2027)']) {
      assert.deepEqual(await faults(root.readTransferSchedule({ query: { schedule } })), never)
      assert.deepEqual(await faults(put('leap', { schedule })), never)
      assert.deepEqual(await faults(put('leap', { schedule, is_active: false })), never)
    }
    const over = 'cron(0 0 1 1 ? 2025)'
    await server.sql('update transfer_configs set schedule = $1', [over])
    assert.deepEqual(await faults(put('leap', { schedule: over })), never)
    assert.equal((await put('leap', { schedule: over, is_active: false })).is_active, false)
    assert.deepEqual(await faults(put('leap', { schedule: over })), never)
    assert.equal((await put('leap', { schedule: leap })).is_active, true)
  })

  describe('and its role', () => {
    const SECRET = { sftp_password: 'returned never' }
    const { sftp_password: _secret, ...KEPT } = CONFIG
    const giveRole = async (role_reference: string, role: ReturnType<typeof roleInput>) => {
      await server.sql(
        `insert into roles select client_id, $1, $2, 0, 'test' from clients where client = 'acme'
         on conflict (client_id, role_reference) do update set document = excluded.document`,
        [role_reference, { role_reference, ...role, is_system: false }],
      )
      await server.sql(`update clients set access_epoch = access_epoch + 1 where client = 'acme'`)
    }
    const saved = (by: Client, reference: string, change: object) =>
      assertDone(by.createTransferConfig({ ...at(reference), body: { ...CONFIG, ...change } }))
    const escalations = () =>
      server.sql<{ alert_severity: string }>(
        `delete from alerts where alert_scope = 'sec' and alert_key like 'escalation%' returning alert_severity`,
      )

    it('is one of its author’s own when none is named, or none that delivers anything', async () => {
      const producer = await person('producer', 'Regulatory Producer')
      assert.equal((await saved(producer, 'own', {})).role_reference, 'Regulatory Producer')
      assert.equal((await saved(root, 'none', {})).role_reference, null, 'it may download nothing')
      assert.deepEqual(await escalations(), [])
    })

    it('requires the author’s own download rights, or the right to escalate, which raises a High alert', async () => {
      await giveRole(
        'Desk Keeper',
        roleInput([
          allow('transfer_configs:*'),
          { ...allow('payloads:download', 'payloads:read'), conditions: [{ names_matching: ['North'] }] },
        ]),
      )
      const keeper = await person('keeper', 'Desk Keeper')
      assert.equal((await saved(keeper, 'north', {})).role_reference, 'Desk Keeper')
      const groupsFor = async (reader: Client) =>
        (await reader.readTransferConfig(at('north'))).reached_groups
      assert.deepEqual(await groupsFor(root), { is_all: false, count: 1, first: ['North'] })
      assert.deepEqual(await groupsFor(keeper), { is_all: false, count: 0, first: [], is_partial: true })
      const wider = { role_reference: 'Receipt App' }
      await assert.rejects(saved(keeper, 'wide', wider), code('escalation'))
      await assert.rejects(
        keeper.updateTransferConfig({ ...at('north'), body: { ...KEPT, ...wider } }),
        code('escalation'),
      )
      assert.deepEqual(await escalations(), [])
      assert.equal((await saved(root, 'wide', wider)).role_reference, 'Receipt App')
      assert.deepEqual(await escalations(), [{ alert_severity: 'High' }])
      // A save that narrows needs none of these rights; one that widens does.
      const put = (change: object) =>
        assertDone(keeper.updateTransferConfig({ ...at('wide'), body: { ...KEPT, ...change } }))
      await put({ payload_types: ['SMS'] })
      await assert.rejects(put({}), code('escalation'))
      await put({ payload_types: ['SMS'], is_active: false })
      await assert.rejects(put({ payload_types: ['SMS'] }), code('escalation'))
    })

    it('must exist, deliver something from any network, and stay as long as it is used', async () => {
      const downloads = allow('payloads:download', 'payloads:read')
      await giveRole('Office', roleInput([downloads], { cidr_ranges: ['127.0.0.0/8'] }))
      await giveRole('Used', roleInput([downloads], { payload_types: ['Call'] }))
      for (const [role_reference, fault] of [
        ['No Such Role', 'unknown_reference'],
        ['Office', 'transfer_role'],
        ['Fleet Administrator', 'transfer_role'],
      ])
        assert.deepEqual(await faults(add('bad', { role_reference })), [`role_reference ${fault}`])
      assert.deepEqual(await faults(add('bad', { role_reference: 'Used', payload_types: ['SMS'] })), [
        'role_reference transfer_role',
      ])
      await add('used', { role_reference: 'Used', ...SECRET })
      await assert.rejects(root.deleteRole({ params: { role_reference: 'Used' } }), code('in_use'))
    })
  })

  it('can be required by a retention policy', async () => {
    const entry = (required: string) => ({
      entity_type: 'Payload' as const,
      payload_type: 'Call' as const,
      delete_after_days: 36_525,
      required_transfers: [required],
    })
    const review = (required: string) =>
      root.reviewRetention({ body: { entries: [entry(required)] } as never })
    assert.deepEqual(await faults(review('mine')), ['entries.0.required_transfers.0 unknown_reference'])
    await add('mine')
    await review('mine')
  })
})
