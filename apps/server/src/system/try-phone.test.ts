/** `npm run phone` simulates a phone whose call and message appear in the portal. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { readEnrolment } from '@custodia/device-sdk'
import { type DemoAccount, TRIES, type Try, tryPhone } from '@custodia/simulator'
import { signIn } from '../testing/access-fixture.ts'
import { testServer, type TestServer } from '../testing/server.ts'
import { readEnrolments } from '../testing/phones.ts'

let server: TestServer
let folder: string
before(async () => {
  server = await testServer({}, { hasWorker: true })
  folder = await mkdtemp(join(tmpdir(), 'custodia-try-'))
})
after(async () => {
  await server?.close()
  await rm(folder, { recursive: true, force: true })
})

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
    const { payload_type, payload_state } = await bob.api.readPayload({
      params: { payload_reference },
      query: {},
    })
    assert.deepEqual([payload_type, payload_state], [TYPES[what], 'Processed'])
    assert.match(steps.join('\n'), what === 'call' ? /NewInstall/ : /NoChange/)
  }
})

test('a simulated device enrols with the portal text and belongs to the named user', async () => {
  const alice = await signIn(server.url, 'acme', 'alice')
  const whose = { params: { device_user_reference: 'Molly Pearce' }, query: {} }
  const { text, enrolment_reference } = await alice.api.createEnrolmentOfUser({
    ...whose,
    body: { expires_in_days: 1 },
  })
  const { server_url, ...account } = readEnrolment(text)
  const steps: string[] = []
  const enrolled = { server_url, account, person: null, now: server.ctx.now() } as const
  const own = join(folder, 'enrolled')
  for (const what of TRIES) {
    const say = (step: string) => void steps.push(step)
    const payload_reference = await tryPhone({ ...enrolled, what, folder: own, say })
    const read = { params: { payload_reference }, query: {} }
    const { device_user_reference } = await (await signIn(server.url, 'acme', 'bob')).api.readPayload(read)
    assert.equal(device_user_reference, 'Molly Pearce')
  }
  const found = await alice.api.readEnrolment({ params: { enrolment_reference }, query: {} })
  assert.equal(found.uses, 1)
})
