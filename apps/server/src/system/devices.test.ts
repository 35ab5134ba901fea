import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { RESERVED_GROUP } from '@custodia/contract'
import { memoryStore, openPhone } from '@custodia/device-sdk'
import { type DemoAccount, TRIES, type Try, tryPhone } from '@custodia/simulator'
import { getCode, openPerson, type Person, signIn } from '../testing/access-fixture.ts'
import { Browser } from '../testing/browser.ts'
import { findProgram } from '../testing/daemon.ts'
import { mediaFile, getMessage, readAccountKey, readEnrolments, getRecording } from '../testing/phones.ts'
import { requirePart } from '../testing/require-part.ts'
import { testServer } from '../testing/server.ts'
import { until } from '../testing/waits.ts'

const run = promisify(execFile)
const EXAMPLE = fileURLToPath(new URL('../../../../docs/examples/phone.py', import.meta.url))
const python = requirePart('python3', findProgram('python3') !== undefined)

const server = await testServer({}, { hasWorker: true })
const folder = await mkdtemp(join(tmpdir(), 'custodia-devices-'))
after(async () => {
  await server?.close()
  await rm(folder, { recursive: true, force: true })
})

/** It imports nothing of this code: docs/protocol.md suffices to upload what a phone recorded. */
describe('the example device of the documentation', python, () => {
  let bob: Person
  let recording: Buffer
  before(async () => {
    bob = await signIn(server.url, 'acme', 'bob')
    // Of three segments.
    const sound = await mediaFile('calls/en-voicemail.wav')
    recording = Buffer.concat([sound, sound, sound])
    await writeFile(join(folder, 'call.wav'), recording)
    await enrol('enrolment.json', server.url)
  })

  it('uploads a call that the reviewer downloads unchanged, and deletes its local copy', async () => {
    const { stdout } = await run('python3', phone('enrolment.json', 'call.wav'))
    assert.match(stdout, /^device \w{26} of acme, NewInstall$/m)
    await isHeard(referenceIn(stdout))
    assert.deepEqual(await readdir(join(folder, 'queue')), ['numbers'])
  })

  it('enrols with the text from the portal and belongs to the user it was made for', async () => {
    const alice = await signIn(server.url, 'acme', 'alice')
    const whose = { params: { device_user_reference: 'Molly Pearce' }, query: {} }
    const { text } = await alice.api.createEnrolmentOfUser({ ...whose, body: { expires_in_days: 1 } })
    await writeFile(join(folder, 'portal.json'), text)
    const mine = ['--serial=PY2', `--queue=${join(folder, 'enrolled')}`]
    const given = [EXAMPLE, join(folder, 'portal.json')]
    const { stdout } = await run('python3', [...given, join(folder, 'call.wav'), ...mine])
    const payload_reference = referenceIn(stdout)
    await isHeard(payload_reference)
    const { device_user_reference } = await bob.api.readPayload({ params: { payload_reference } })
    assert.equal(device_user_reference, 'Molly Pearce')
    // The code stays the way in of this device.
    assert.match((await run('python3', [...given, ...mine])).stdout, /NoChange$/m)
    const another = await run('python3', [
      ...given,
      '--serial=PY3',
      `--queue=${join(folder, 'other')}`,
    ]).catch((error: { stderr: string }) => error)
    assert.match(another.stderr, /403 enrolment_refused/)
  })

  it('belongs to the user who signs in on it', async () => {
    const alice = await signIn(server.url, 'acme', 'alice')
    const device_user_reference = 'who signs in'
    await alice.api.createDeviceUser({
      params: { device_user_reference },

      // The person expects no phone, so another administrator must verify each one.
      body: {
        group: 'North',
        services: ['calls'],
        email: 'bob@acme.example',
        first_name: 'Bob',
        surname: null,
        expected_device_count: 0,
        is_active: true,
      },
    })
    const signing = spawn('python3', [
      EXAMPLE,
      join(folder, 'enrolment.json'),
      join(folder, 'call.wav'),
      `--queue=${join(folder, 'signed-in')}`,
      '--serial=PY4',
      '--sign-in',
    ])
    let stdout = ''
    signing.stdout.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk))
    const ended = once(signing, 'exit')
    const asked = await new Promise<string>((resolve, reject) => {
      signing.stdout.on('data', () => {
        const [, address] = /^sign in at (\S+)$/m.exec(stdout) ?? []
        if (address) resolve(address)
      })
      void ended.then(() => reject(new Error(`it ended: ${stdout}`)))
    })
    const back = new URL(asked).searchParams.get('redirect_uri') ?? ''
    // A page that only pretends to come back is not believed.
    assert.equal((await fetch(`${back}?state=x&code=x`)).status, 404)
    const browser = new Browser(server.url)
    const returned = await browser.submit(await browser.openForm(asked), 'bob', 'bob-demo', back)
    assert.equal((await fetch(returned)).status, 200)
    assert.deepEqual(await ended, [0, null], stdout)
    const payload_reference = referenceIn(stdout)
    const payload = await alice.api.readPayload({ params: { payload_reference } })
    assert.equal(payload.device_user_reference, device_user_reference)
  })

  it('resumes an upload after it was killed', async () => {
    // Forwards calls until the phone announces a sealed payload.
    const ending = new AbortController()
    const between = createServer((request, response) => {
      if (request.url?.endsWith('/payloads')) return void ending.abort()
      const body: Buffer[] = []
      request.on('data', (chunk: Buffer) => body.push(chunk))
      request.on('end', () => {
        const { method = '', url = '', headers } = request
        void fetch(new URL(url, server.url), {
          method,
          headers: { authorization: headers.authorization ?? '', 'content-type': 'application/json' },
          ...(body.length > 0 ? { body: Buffer.concat(body) } : {}),
        }).then(async (answer) => response.writeHead(answer.status).end(await answer.text()))
      })
    }).listen(0, '127.0.0.1')
    await once(between, 'listening')
    try {
      await enrol('between.json', `http://127.0.0.1:${(between.address() as AddressInfo).port}`)
      const killed = spawn('python3', phone('between.json', 'call.wav'), {
        signal: ending.signal,
        killSignal: 'SIGKILL',
        stdio: 'ignore',
      })
      const [code] = await new Promise<[number | null]>((resolve) => {
        killed.on('error', () => undefined).on('exit', (...end) => resolve([end[0]]))
      })
      assert.equal(code, null)
    } finally {
      between.closeAllConnections()
      between.close()
    }
    assert.equal((await readdir(join(folder, 'queue'))).length, 3)
    const { stdout } = await run('python3', phone('enrolment.json'))
    assert.match(stdout, /, NoChange$/m)
    await isHeard(referenceIn(stdout))
    assert.deepEqual(await readdir(join(folder, 'queue')), ['numbers'])
  })

  it('reports its position', async () => {
    const { stdout } = await run('python3', [...phone('enrolment.json'), '--locate=-23.5866,-46.6822'])
    assert.match(stdout, /^position stored$/m)
    const alice = await signIn(server.url, 'acme', 'alice')
    const page = await alice.api.listDevices({ query: { search: 'PY00000001' } })
    const device_reference = page.data[0]?.device_reference ?? ''
    const track = await alice.api.listGpsOfDevice({ params: { device_reference } })
    assert.deepEqual(
      track.data.map(({ latitude, longitude }) => [latitude, longitude]),
      [[-23.5866, -46.6822]],
    )
  })

  it('executes a command and reports a command that it cannot execute', async () => {
    const alice = await signIn(server.url, 'acme', 'alice')
    const page = await alice.api.listDevices({ query: { search: 'PY00000001' } })
    const device_reference = page.data[0]?.device_reference ?? ''
    for (const command of ['sync_data', 'diagnostics_upload'] as const)
      await alice.api.sendCommand({ params: { device_reference }, body: { command, params: {} } })
    const { stdout } = await run('python3', [
      ...phone('enrolment.json'),
      '--log=All is well',
      '--telemetry',
      '--obey=50',
    ])
    assert.match(stdout, /^log stored$/m)
    assert.match(stdout, /^sync_data Completed\ndiagnostics_upload Failed$/m)
    assert.match(stdout, /^telemetry stored$/m)
    const reports = await alice.api.listTelemetryOfDevice({ params: { device_reference } })
    assert.deepEqual(
      reports.data.map(({ facts }) => facts.model),
      ['Example in Python'],
    )
    const logs = await alice.api.listLogsOfDevice({ params: { device_reference } })
    assert.deepEqual(
      logs.data.map(({ log_message }) => log_message),
      ['All is well'],
    )
    const result = await alice.api.listCommandsOfDevice({ params: { device_reference } })
    assert.deepEqual(
      result.data.map(({ state, failure }) => [state, failure]),
      [
        ['Failed', 'reported'],
        ['Completed', null],
      ],
    )
  })

  it('uploads its messages again on command, and the server detects the duplicates', async () => {
    const stated = await run('python3', [...phone('enrolment.json'), '--message=The tram is late'])
    const first = referenceIn(stated.stdout)
    const { payload_time, device_reference } = await bob.api.readPayload({
      params: { payload_reference: first },
    })
    assert.ok(device_reference)
    const alice = await signIn(server.url, 'acme', 'alice')
    const reupload = (params: object) =>
      alice.api.sendCommand({
        params: { device_reference },
        body: { command: 'reupload_sms_messages', params },
      })
    // The first `to` names another time, so there is nothing to upload.
    await reupload({ to: payload_time })
    await reupload({ from: payload_time })
    const { stdout } = await run('python3', [...phone('enrolment.json'), '--obey=50'])
    assert.match(stdout, /^reupload_sms_messages Completed\nreupload_sms_messages Completed$/m)
    const { copies = [] } = await bob.api.readPayload({ params: { payload_reference: first } })
    assert.equal(copies.length, 1)
    const [payload_reference = ''] = copies
    const again = await bob.api.readPayload({ params: { payload_reference } })
    assert.deepEqual([again.copy_of, again.payload_time], [first, payload_time])
  })

  async function enrol(name: string, server_url: string): Promise<void> {
    const [account] = await readEnrolments(server.ctx.config.dataDir)
    assert.ok(account)
    const { account_reference, enrolment } = account
    await writeFile(join(folder, name), JSON.stringify({ server_url, account_reference, enrolment }))
  }

  const phone = (enrolment: string, call?: string): string[] => [
    EXAMPLE,
    join(folder, enrolment),
    ...(call ? [join(folder, call)] : []),
    `--queue=${join(folder, 'queue')}`,
    '--email=harriet.cole@acme.example',
  ]

  async function isHeard(payload_reference: string): Promise<void> {
    const { s3_url } = await bob.api.readPayloadData({
      params: { payload_reference },
      query: { action: 'download' },
    })
    const answer = await bob.fetch(s3_url ?? '')
    assert.ok(recording.equals(Buffer.from(await answer.arrayBuffer())))
  }
})

function referenceIn(stated: string): string {
  const [, reference] = /^(\w{26}) processed$/m.exec(stated) ?? []
  assert.ok(reference, stated)
  return reference
}

const TYPES: Record<Try, string> = {
  call: 'Call',
  message: 'SMS',
  video: 'Video',
  diagnostics: 'Diagnostics',
}

test('a simulated device uploads payloads that a reviewer of its group can read', async () => {
  const [account] = (await readEnrolments(server.ctx.config.dataDir)) as DemoAccount[]
  const [person] = account?.people ?? []
  assert.ok(account && person)
  const bob = await signIn(server.url, 'acme', 'bob')
  for (const what of TRIES) {
    const steps: string[] = []
    const payload_reference = await tryPhone({
      server_url: server.url,
      account,
      person,
      what,
      text: 'Hello there',
      now: server.ctx.now(),
      folder,
      say: (step) => void steps.push(step),
    })
    const { payload_type, payload_state } = await bob.api.readPayload({ params: { payload_reference } })
    assert.deepEqual([payload_type, payload_state], [TYPES[what], 'Processed'])
    assert.match(steps.join('\n'), what === 'call' ? /NewInstall/ : /NoChange/)
  }
})

/** What the account key gives without a code: a place in the reserved group, and nothing that a reviewer sees. */
test('a device with the account key and the address of a person becomes theirs only by confirmation', async () => {
  const alice = await openPerson(server, 'acme', 'alice')
  const bob = await openPerson(server, 'acme', 'bob')
  const device_user_reference = 'new hire'
  const email = 'new.hire@acme.example'
  await alice.api.createDeviceUser({
    params: { device_user_reference },
    body: {
      group: 'North',
      services: ['sms'],
      email,
      first_name: 'New',
      surname: 'Hire',
      expected_device_count: 1,
    },
  })
  const phone = await openPhone({
    enrolment: {
      server_url: server.url,
      account_reference: 'acme',
      account_key: (await readAccountKey(server.ctx, 'acme')).toString('base64'),
    },
    identity: {
      model: 'Pixel',
      os_version: '16',
      app_version: '1',
      serial_number: 'unconfirmed',
      installation_id: 'unconfirmed',
      phone_numbers: ['+447700900199'],
      imeis: ['356938035643809'],
      email,
    },
    store: memoryStore(),
  })
  const { device_reference, enabled_services } = await phone.authenticate()
  const { payload_reference, recording } = getRecording('SMS', getMessage('hello'))
  await phone.record(recording)
  await phone.sync({ patience: 60 })
  assert.equal((await phone.status([payload_reference]))[0]?.status, 'processed')

  const device = await alice.api.readDevice({ params: { device_reference } })
  assert.deepEqual(
    [device.device_user_reference, device.group, device.waiting_reason, device.requested_user_reference],
    [null, RESERVED_GROUP, 'unconfirmed', device_user_reference],
  )
  assert.deepEqual(enabled_services, [])
  const read = () => bob.api.readPayload({ params: { payload_reference } })
  assert.equal(await getCode(read()), 'not_found')
  assert.equal(await getCode(bob.api.readDevice({ params: { device_reference } })), 'not_found')

  await alice.api.confirmDeviceHolder({ params: { device_reference }, body: { decision: 'confirm' } })
  await until('the reviewer sees the message', () => read().then(Boolean, () => false))
  assert.equal((await read()).device_user_reference, device_user_reference)
})
