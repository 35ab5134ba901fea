import assert from 'node:assert/strict'
import { createPublicKey } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { forEachService } from '../licenses/store.ts'
import { KeyUnknown } from '../ports/keys/port.ts'
import { openPerson, type Person, problem } from '../testing/access-fixture.ts'
import { assertVerifiedOffline } from '../testing/offline-verifier.ts'
import { getMessage, phoneWith, getRecording } from '../testing/phones.ts'
import { testServer, type TestServer } from '../testing/server.ts'
import { until } from '../testing/waits.ts'
import { checkClientDeletion } from './jobs.ts'
const params = { client: 'closed' }

describe('the deletion of a client', () => {
  let server: TestServer
  let dave: Person
  let erin: Person
  let enrolment: string
  before(async () => {
    server = await testServer({}, { hasWorker: true })
    dave = await openPerson(server, 'admin', 'dave')
    erin = await openPerson(server, 'admin', 'erin', { roles: ['Provider Administrator'] })
    const limits = forEachService(() => 5)
    const account = {
      ...params,
      client_name: 'Closed Ltd',
      limits,
      identity: null,
      first_administrator: 'joan',
    }
    enrolment = (await dave.api.createClient({ body: account })).enrolment
  })
  after(() => server?.close())

  const phone = () => phoneWith(enrolment, { retry: { tries: 1, firstPauseMs: 1, longestPauseMs: 1 } })
  it('cannot be proposed on the server, by one human who has a shell', async () => {
    await assert.rejects(
      server.sql(
        `update clients set suspended_at = 1, suspended_by = 'x', suspended_reason = 'x', deletion_proposed_at = 1,
           deletion_proposed_by = 'operator (system)' where client = 'globex'`,
      ),
      /violates check constraint/,
    )
  })

  const ofClosed = "(select client_id from clients where client = 'closed')"
  const hold = (is_active: boolean) =>
    server.sql(
      is_active
        ? `insert into legal_holds (client_id, target_type, target, is_active, created_at, updated_at, updated_by)
           values (${ofClosed}, 'PortalUser', 'joan', true, 1, 1, 'joan')`
        : `update legal_holds set is_active = false where client_id = ${ofClosed}`,
    )

  it('is refused while the client is active, and while a payload or a legal hold of it is kept', async () => {
    await assert.rejects(dave.api.proposeClientDeletion({ params }), problem('wrong_state'))
    await dave.api.suspendClient({ params, body: { reason: 'The contract has ended' } })
    await hold(true)
    await assert.rejects(dave.api.proposeClientDeletion({ params }), problem('client_not_empty'))
    await hold(false)
    const proposed = await dave.api.proposeClientDeletion({ params })
    assert.equal(proposed.deletion_proposed_by, 'dave (provider)')
    // A suspended client's devices go on to deliver: what comes after the proposal stops the deletion.
    const device = await phone()
    await device.authenticate()
    await device.record(getRecording('SMS', getMessage('One more')).recording)
    await device.sync({ patience: 0 })
    await assert.rejects(erin.api.confirmClientDeletion({ params }), problem('client_not_empty'))
    assert.equal((await dave.api.withdrawClientDeletion({ params })).deletion_proposed_by, null)
    await assert.rejects(dave.api.proposeClientDeletion({ params }), problem('client_not_empty'))
  })

  it('requires a second person, issues a certificate, and leaves a reserved, unreachable client name', async () => {
    const limits = forEachService(() => 5)
    const gone = { client: 'gone' }
    const account = { ...gone, client_name: 'Gone Ltd', limits, identity: null, first_administrator: 'joan' }
    const made = await dave.api.createClient({ body: account })
    enrolment = made.enrolment
    const device = await phone()
    await device.authenticate()
    await device.record(getRecording('SMS', getMessage('Too late')).recording)
    await dave.api.suspendClient({ params: gone, body: { reason: 'The contract has ended' } })
    await assert.rejects(erin.api.confirmClientDeletion({ params: gone }), problem('wrong_state'))
    await dave.api.proposeClientDeletion({ params: gone })
    await assert.rejects(dave.api.confirmClientDeletion({ params: gone }), problem('same_person'))
    const file = await erin.api.confirmClientDeletion({ params: gone })
    const { certificate } = file
    assert.deepEqual(
      [certificate.client, certificate.proposed_by, certificate.deleted_by, certificate.kept.payloads],
      ['gone', 'dave (provider)', 'erin (provider)', 0],
    )
    const [key_id = ''] = certificate.removed_device_keys
    await until('the private key is removed', () =>
      server.ctx.keys.unwrapDeviceDek(key_id, '').then(
        () => false,
        (error: unknown) => error instanceof KeyUnknown,
      ),
    )
    const keys = (await server.ctx.keys.verificationKeys()).map((key) => createPublicKey(key.public_key_pem))
    assert.equal(checkClientDeletion(JSON.stringify(file), keys).outcome, 'good')
    const altered = JSON.stringify({ ...file, certificate: { ...certificate, client: 'acme' } })
    assert.equal(checkClientDeletion(altered, keys).outcome, 'altered')
    await assertVerifiedOffline(server.ctx.keys, file, 'Certificate of a deleted account')

    const listed = await dave.api.listClients({ query: { search: 'gone' } })
    assert.deepEqual(listed.data, [])
    await assert.rejects(dave.api.resumeClient({ params: gone }), problem('not_found'))
    await assert.rejects(dave.api.createClient({ body: account }), problem('already_exists'))
    await assert.rejects(device.sync({ patience: 0 }))
    // A call that had begun before is refused by the database.
    await assert.rejects(
      server.sql(`insert into payloads (client_id) select client_id from clients where client = 'gone'`),
      /the client is deleted/,
    )
    const logged = await server.sql(
      `select client, user_reference from portal_activities join clients using (client_id)
       where action = 'internal.clients:delete' and status_code = 200 and parameters like '%gone%' order by client, log_id`,
    )
    assert.deepEqual(
      logged.map(({ client, user_reference }) => `${String(client)} ${String(user_reference)}`),
      ['admin dave', 'admin erin', 'gone dave', 'gone erin'],
    )
    await assert.rejects(
      server.sql(
        `update clients set deleted_at = null, deleted_by = null, deletion_certificate = null where client = 'gone'`,
      ),
      /is deleted/,
    )
  })
})
