/** Uses a local service with Google's responses, because tests cannot reach Google. */
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, describe, it } from 'node:test'
import { importSPKI, jwtVerify } from 'jose'
import { fcmPush } from './fcm.ts'
import { PushUnavailable } from './port.ts'

describe('device wake-up through FCM', async () => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const asked: { url: string; authorization: string | undefined; body: string }[] = []
  let now = 1_800_000_000
  /** The service's response to a message. */
  let status = 200

  const service = createServer((request, response) => {
    void text(request).then((body) => {
      asked.push({ url: request.url ?? '', authorization: request.headers.authorization, body })
      if (request.url === '/token')
        response.end(JSON.stringify({ access_token: `token of ${now}`, expires_in: 3599 }))
      else response.writeHead(status).end('{}')
    })
  }).listen(0, '127.0.0.1')
  await once(service, 'listening')
  const origin = `http://127.0.0.1:${(service.address() as AddressInfo).port}`
  const folder = await mkdtemp(join(tmpdir(), 'custodia-fcm-'))
  const file = join(folder, 'account.json')
  const account = {
    type: 'service_account',
    project_id: 'recorder',
    client_email: 'push@recorder.example',
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    token_uri: `${origin}/token`,
  }
  await writeFile(file, JSON.stringify(account))
  const push = await fcmPush({ file, now: () => now, origin })
  after(async () => {
    service.close()
    if (folder) await rm(folder, { recursive: true, force: true })
  })

  it('authenticates with a signed assertion, sends no reason and renews the token hourly', async () => {
    assert.equal(await push.wake('phone 1'), true)
    assert.equal(await push.wake('phone 2'), true)
    assert.deepEqual(
      asked.map(({ url }) => url),
      ['/token', '/v1/projects/recorder/messages:send', '/v1/projects/recorder/messages:send'],
    )
    const assertion = new URLSearchParams(asked[0]?.body).get('assertion') ?? ''
    const key = await importSPKI(publicKey.export({ type: 'spki', format: 'pem' }).toString(), 'RS256')
    const { payload } = await jwtVerify(assertion, key, {
      issuer: 'push@recorder.example',
      audience: `${origin}/token`,
      currentDate: new Date(now * 1000),
    })
    assert.equal(payload.scope, 'https://www.googleapis.com/auth/firebase.messaging')
    assert.equal(asked[1]?.authorization, `Bearer token of ${now}`)
    assert.deepEqual(JSON.parse(asked[1]?.body ?? '{}'), {
      message: { token: 'phone 1', data: { wake: 'commands' }, android: { priority: 'high', ttl: '3600s' } },
    })
    now += 3600
    await push.wake('phone 1')
    assert.equal(asked.at(-1)?.authorization, `Bearer token of ${now}`)
  })

  it('distinguishes an unregistered device from an unavailable service', async () => {
    for (const gone of [404, 400]) {
      status = gone
      assert.equal(await push.wake('phone 1'), false)
    }
    for (const unwell of [401, 429, 503]) {
      status = unwell
      await assert.rejects(push.wake('phone 1'), PushUnavailable)
    }
    status = 200
    const before = asked.length
    assert.equal(await push.wake('phone 1'), true)
    assert.equal(asked.length, before + 1, 'the token is good still')
  })

  it('fails with PushUnavailable when the service cannot be reached', async () => {
    service.closeAllConnections()
    service.close()
    await assert.rejects(push.wake('phone 1'), PushUnavailable)
  })
})
