import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'
import { ROOT } from '../../../scripts/run.ts'
import { SETTINGS_FILE, settingsPage } from '../../../scripts/settings.ts'
import { ConfigError, readConfig, withPort } from './config.ts'
import { SETTINGS } from './environment.ts'
import { SETTING_TEXTS } from './settings.ts'

const getFaults = (env: Record<string, string>, argv: string[] = []): string => {
  try {
    readConfig(env, argv)
  } catch (error) {
    assert.ok(error instanceof ConfigError)
    return error.faults.join('\n')
  }
  return ''
}

test('docs/settings.md explains every setting, with its default', async () => {
  const explained = Object.values(SETTING_TEXTS).flatMap((topic) => Object.keys(topic))
  assert.deepEqual(explained.toSorted(), [...SETTINGS].toSorted())
  assert.equal(await readFile(SETTINGS_FILE, 'utf8'), settingsPage(), 'run: node scripts/settings.ts')
})

test('compose.yaml, the image and the example for systemd give settings that the server knows and accepts', async () => {
  const text = (name: string) => readFile(`${ROOT}${name}`, 'utf8')
  const accepts = (env: Record<string, string>, argv: string[] = []) => {
    assert.deepEqual(
      Object.keys(env).filter(
        (name) => name !== 'NODE_ENV' && !(SETTINGS as readonly string[]).includes(name),
      ),
      [],
    )
    assert.equal(getFaults(env, argv), '')
  }
  const settings = (lines: string): Record<string, string> =>
    Object.fromEntries([...lines.matchAll(/(\S+?)=(\S+)/g)].map(([, name = '', value = '']) => [name, value]))

  const { services } = parse(await text('compose.yaml'), { merge: true }) as {
    services: Record<string, { environment: Record<string, string>; command: string[] }>
  }
  const [, image = ''] = /^ENV (.+)$/m.exec(await text('Dockerfile')) ?? []
  for (const name of ['server', 'worker']) {
    const { environment = {}, command = [] } = services[name] ?? {}
    const env = settings(image)
    for (const [setting, value] of Object.entries(environment))
      // What the operator gives: addresses, and any text.
      env[setting] = value.replaceAll(/\$\{(\w+):[^}]*\}/g, (_, given: string) =>
        /URL|ISSUER|ENDPOINT/.test(given) ? 'https://example.com' : 'text',
      )
    accepts(env, [`--services=${command[1]}`])
  }
  const example = (await text('deploy/custodia.env.example')).replaceAll(/^#.*$/gm, '')
  accepts({ ...settings(example), S3_ACCESS_KEY_ID: 'text', S3_SECRET_ACCESS_KEY: 'text' })
})

test('applies defaults when no setting is given', () => {
  const config = readConfig({})
  assert.equal(config.port, 4000)
  assert.equal(config.publicUrl, 'http://127.0.0.1:4000')
  assert.deepEqual(config.services, ['api', 'worker'])
  assert.equal(config.demo, true)
})

test('lists all faults at once', () => {
  const faults = getFaults(
    { PORT: 'x', DATABASE_URL: 'mysql://x', OIDC_ISSUER: 'nonsense', LOG_LEVEL: 'loud' },
    ['--servces=api'],
  )
  for (const name of ['PORT', 'DATABASE_URL', 'OIDC_ISSUER', 'LOG_LEVEL', '--servces'])
    assert.match(faults, new RegExp(name))
})

test('rejects incomplete and contradictory settings', () => {
  assert.match(getFaults({}, ['--services=worker']), /DATABASE_URL/)
  assert.match(getFaults({ S3_ENDPOINT: 'http://127.0.0.1:1' }), /S3_BUCKET/)
  assert.match(getFaults({ S3_BUCKET: 'b', S3_ACCESS_KEY_ID: 'k' }), /S3_SECRET_ACCESS_KEY/)
  assert.match(getFaults({ TRANSFER_AWS_ACCESS_KEY_ID: 'k' }), /TRANSFER_AWS_SECRET_ACCESS_KEY/)
  assert.match(getFaults({ TRANSFER_AWS_PRINCIPAL: 'custodia' }), /TRANSFER_AWS_PRINCIPAL/)
  assert.match(getFaults({ OIDC_ISSUER: 'https://id.example' }), /OIDC_CLIENT_ID/)
  assert.match(getFaults({ CLAMD_HOST: 'a', CLAMD_SOCKET: '/b' }), /CLAMD/)
})

test('reads a secret from the file that its setting with _FILE names', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'custodia-secrets-'))
  t.after(() => rm(folder, { recursive: true }))
  const path = join(folder, 'token')
  await writeFile(path, 'secret\n')
  assert.equal(readConfig({ METRICS_TOKEN_FILE: path }).metricsToken, 'secret')
  assert.match(getFaults({ METRICS_TOKEN_FILE: path, METRICS_TOKEN: 'x' }), /METRICS_TOKEN is set as well/)
  assert.match(getFaults({ METRICS_TOKEN_FILE: `${path}s` }), /cannot be read \(ENOENT\)/)
  await writeFile(path, '\n')
  assert.match(getFaults({ METRICS_TOKEN_FILE: path }), /is empty/)
})

test('requires a complete SMTP address and never sends its password without encryption', () => {
  const SMTP_URL = 'smtps://custodia:let%20me%20in@mail.bank.internal'
  assert.equal(readConfig({}).smtp, undefined)
  assert.deepEqual(readConfig({ SMTP_URL, SMTP_FROM: 'custodia@bank.example' }).smtp, {
    host: 'mail.bank.internal',
    port: 465,
    tls: 'at_once',
    user: 'custodia',
    password: 'let me in',
    from: 'custodia@bank.example',
  })
  assert.match(getFaults({ SMTP_URL }), /SMTP_FROM/)
  assert.match(getFaults({ SMTP_FROM: 'custodia@bank.example' }), /SMTP_URL/)
  assert.match(getFaults({ SMTP_URL, SMTP_FROM: 'Custodia <custodia@bank.example>' }), /SMTP_FROM/)
  const open = {
    SMTP_URL: 'smtp://custodia:let%20me%20in@mail.example?tls=never',
    SMTP_FROM: 'c@bank.example',
  }
  const faults = getFaults(open)
  assert.match(faults, /SMTP_URL/)
  assert.doesNotMatch(faults, /let/)
})

test('allows internal addresses only for origins listed exactly in EGRESS_ALLOW', () => {
  assert.deepEqual(readConfig({}).egressAllow, [])
  const { egressAllow } = readConfig({ EGRESS_ALLOW: 'https://idp.bank.internal, http://127.0.0.1:14200' })
  assert.deepEqual(egressAllow, ['https://idp.bank.internal', 'http://127.0.0.1:14200'])
  assert.deepEqual(readConfig({ EGRESS_ALLOW: 'sftp://10.0.0.5:22' }).egressAllow, ['sftp://10.0.0.5:22'])
  for (const wrong of ['sftp://10.0.0.5', 'sftp://a@10.0.0.5:22', 'sftp://10.0.0.5:22/', 'ssh://10.0.0.5:22'])
    assert.throws(() => readConfig({ EGRESS_ALLOW: wrong }), wrong)
  for (const wrong of [
    'idp.bank.internal',
    'https://a/b',
    'https://a/',
    'https://u@a',
    'ftp://a',
    '*',
    'https://A',
  ])
    assert.match(getFaults({ EGRESS_ALLOW: `https://good.example,${wrong}` }), /EGRESS_ALLOW/, wrong)
})

test('applies default rate limits unless a setting changes them or turns them off', () => {
  assert.deepEqual(readConfig({}).rates.portal, { per_second: 50, burst: 500 })
  const { rates } = readConfig({ RATE_PORTAL: 'off', RATE_DEVICE: '3/20' })
  assert.deepEqual([rates.portal, rates.device], [null, { per_second: 3, burst: 20 }])
  for (const wrong of ['0/5', '5', '5/0', '-1/5', 'on', '1/2/3', '1.5/3'])
    assert.match(getFaults({ RATE_PUBLIC: wrong }), /RATE_PUBLIC/, wrong)
})

test('reads the monitoring of clients as JSON', () => {
  assert.deepEqual(readConfig({ MONITORING: '{"*":null}' }).monitoring, { '*': null })
  assert.match(getFaults({ MONITORING: '{"*":{}}' }), /MONITORING: must be JSON/)
})

test('creates no demo data in an installation with its own identity provider', () => {
  assert.equal(readConfig({ OIDC_ISSUER: 'https://id.example', OIDC_CLIENT_ID: 'portal' }).demo, false)
})

test('runs a worker alone when the database is external, and all services by name', () => {
  const config = readConfig({ DATABASE_URL: 'postgres://u@h/d' }, ['--services=worker'])
  assert.deepEqual(config.services, ['worker'])
  assert.deepEqual(readConfig({}, ['--services=all']).services, ['api', 'worker'])
})

test('rejects names that look like settings, and leaves those of other programs alone', () => {
  const refused = {
    CUSTODIA_DATE: 'CUSTODIA_DATE: no setting has this name; did you mean CUSTODIA_DATA?',
    CUSTODIA_COLOUR: 'CUSTODIA_COLOUR: no setting has this name.',
    PUBLIC_ULR: 'PUBLIC_ULR: no setting has this name; did you mean PUBLIC_URL?',
    S3_BUKET: 'S3_BUKET: no setting has this name; did you mean S3_BUCKET?',
    LOGLEVEL: 'LOGLEVEL: no setting has this name; did you mean LOG_LEVEL?',
    SMTP_URL_FIEL: 'SMTP_URL_FIEL: no setting has this name; did you mean SMTP_URL_FILE?',
    OIDC_CLIENT_ID_FILE: 'OIDC_CLIENT_ID_FILE: no setting has this name.',
  }
  for (const [name, fault] of Object.entries(refused)) assert.equal(getFaults({ [name]: 'x' }), fault)
  assert.equal(getFaults({ HOME: '/root', HOSTNAME: 'h', PATH: '/bin', OTEL_SERVICE_NAME: 'x' }), '')
})

test('accepts portal URLs only as origins and derives the public URL from IPv6 hosts', () => {
  for (const name of ['PUBLIC_URL', 'ADMIN_PORTAL_URL', 'CLIENT_PORTAL_URL'])
    for (const wrong of [
      'https://bank.example/archive',
      'https://bank.example/?a',
      'https://u:p@bank.example',
    ])
      assert.match(
        getFaults({ [name]: wrong }),
        new RegExp(`^${name}: must be an origin without a path`),
        wrong,
      )
  assert.equal(readConfig({ PUBLIC_URL: 'https://bank.example/' }).publicUrl, 'https://bank.example')
  assert.equal(readConfig({ HOST: '::1' }).publicUrl, 'http://[::1]:4000')
  assert.equal(readConfig({ HOST: '::' }).publicUrl, 'http://localhost:4000')
})

test('names the port that the system chose in origins without a setting', () => {
  const settings = { PORT: '0', ADMIN_PORTAL_URL: 'https://archive.bank.example' }
  const { port, publicUrl, adminPortalUrl, clientPortalUrl } = withPort(readConfig(settings), 41_234)
  assert.deepEqual([port, publicUrl, clientPortalUrl], [41_234, 'http://127.0.0.1:41234', publicUrl])
  assert.equal(adminPortalUrl, settings.ADMIN_PORTAL_URL)
})
