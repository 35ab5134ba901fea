import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { ApiProblem } from '@custodia/client'
import {
  COMMAND_ANSWER_DAYS,
  COMMAND_STATES,
  type CommandInput,
  DANGEROUS_COMMANDS,
  type DeviceCommand,
} from '@custodia/contract'
import { COMMAND_TRANSITIONS } from '@custodia/domain'
import { ulid } from 'ulid'
import {
  accessFixture,
  allow,
  getCode,
  type Person,
  getProblem,
  getRows,
  everyRow,
} from '../../testing/access-fixture.ts'
import { demoPhone } from '../../testing/phones.ts'
import { until } from '../../testing/waits.ts'
import { endUnansweredCommands, wakeDevice } from './jobs.ts'

const SYNC: CommandInput = { command: 'sync_data', params: {} }
const OF_COMMANDS = ['commands:list', 'devices.commands:*', 'devices:read']

describe('device commands', async () => {
  const woken: string[] = []

  const open = (name: string) => demoPhone(fixture.server.ctx.config.dataDir, fixture.server.url, name)

  const push = { wake: async (token: string) => woken.push(token) > 0 }
  const fixture = await accessFixture({ SMS_GATEWAY_NUMBER: '+441632960000' }, { push, hasWorker: true })
  const harriet = await open('Harriet')
  const joao = await open('João')
  const reference = (await harriet.authenticate()).device_reference
  await joao.authenticate()
  for (const group of ['North', 'South'])
    await fixture.giveRole(`${group} desk`, [
      { actions_matching: OF_COMMANDS, conditions: [{ names_matching: [group] }] },
    ])
  after(() => fixture.close())

  const at = (device_reference = reference) => ({ params: { device_reference }, query: {} })
  const send = (person: Person, body: CommandInput = SYNC) => person.api.sendCommand({ ...at(), body })
  const listed = (person: Person, query: object = {}): Promise<DeviceCommand[]> =>
    getRows(person.api.listCommandsOfDevice({ ...at(), query }))
  const getState = async (command_reference: string) => {
    const found = (await listed(fixture.alice)).find((each) => each.command_reference === command_reference)
    assert.ok(found)
    return found
  }
  /** Ends the open commands of earlier tests. */
  const finish = async () => {
    for (const { command_reference } of await harriet.commands())
      await harriet.report(command_reference, 'Completed')
  }

  it('change from sent to acknowledged to completed, with a time for each state', async () => {
    const sent = await send(fixture.alice)
    assert.deepEqual(
      { ...sent, sent_at: 0, command_reference: '' },
      {
        client: 'acme',
        command_reference: '',
        command: 'sync_data',
        params: {},
        device_reference: reference,
        group: 'North',
        state: 'Sent',
        raised_by: 'alice',
        raised_by_name: 'Alice Carter',
        updated_by: 'alice',
        sent_at: 0,
        acknowledged_at: null,
        completed_at: null,
        failure: null,
        message: null,
      },
    )
    const { command_reference } = sent
    const [result] = await harriet.commands()
    assert.deepEqual(result, {
      command_reference,
      command: 'sync_data',
      params: {},
      state: 'Sent',
      sent_at: sent.sent_at,
    })
    assert.equal(await harriet.report(command_reference, 'Acknowledged'), 'Acknowledged')
    // A device may crash before it acts, so the command is delivered again.
    assert.deepEqual(
      (await harriet.commands()).map(({ state }) => state),
      ['Acknowledged'],
    )
    assert.equal(await harriet.report(command_reference, 'Completed', 'Nothing was left'), 'Completed')
    assert.deepEqual(await harriet.commands(), [])
    const { acknowledged_at, completed_at, state, message, updated_by } = await getState(command_reference)
    assert.equal(updated_by, 'device')
    assert.ok(acknowledged_at !== null && completed_at !== null && completed_at >= acknowledged_at)
    assert.deepEqual([state, message], ['Completed', 'Nothing was left'])
  })

  it('keep their final state after repeated or late reports', async () => {
    const { command_reference } = await send(fixture.alice)
    assert.equal(await harriet.report(command_reference, 'Failed', 'No room'), 'Failed')
    const ended = await getState(command_reference)
    assert.deepEqual([ended.failure, ended.message, ended.acknowledged_at], ['reported', 'No room', null])
    for (const state of ['Failed', 'Acknowledged', 'Completed'] as const)
      assert.equal(await harriet.report(command_reference, state, 'Late'), 'Failed')
    assert.deepEqual(await getState(command_reference), ended)
  })

  it('are delivered to and reported by their own device only', async () => {
    const { command_reference } = await send(fixture.alice)
    assert.deepEqual(await joao.commands(), [])
    assert.equal(await getCode(joao.report(command_reference, 'Completed')), 'not_found')
    assert.equal(await getCode(joao.report(ulid(), 'Completed')), 'not_found')
    assert.equal((await getState(command_reference)).state, 'Sent')
    await finish()
  })

  it('reach a waiting device as soon as they are sent', async () => {
    const began = performance.now()
    const waiting = harriet.commands({ wait: 50 })
    await until('the phone to wait', async () => {
      const { body } = await fixture.server.app.inject('/metrics')
      return /^custodia_devices_waiting 1$/m.test(body)
    })
    const { command_reference } = await send(fixture.alice)
    assert.deepEqual(
      (await waiting).map((each) => each.command_reference),
      [command_reference],
    )
    assert.ok(performance.now() - began < 40_000, 'before its timeout')
    await finish()
  })

  it('write an audit entry when the device receives some, and none for an empty answer', async () => {
    await finish()
    const entries = async () =>
      (
        await fixture.sql<{ action: string }>(
          `select action from device_activities where device_reference = $1
           and action = 'GET commands'`,
          [reference],
        )
      ).length
    const before = await entries()
    await fixture.sql('update devices set last_seen = 1 where device_reference = $1', [reference])
    assert.deepEqual(await harriet.commands(), [])
    assert.deepEqual(await harriet.commands({ wait: 1 }), [])
    assert.equal(await entries(), before)
    const [seen] = await fixture.sql<{ last_seen: number }>(
      'select last_seen from devices where device_reference = $1',
      [reference],
    )
    assert.ok(Number(seen?.last_seen) > 1, 'the contact is stored')
    await send(fixture.alice)
    assert.equal((await harriet.commands()).length, 1)
    assert.equal(await entries(), before + 1)
    await finish()
  })

  it('require a separate permission in the device’s group when they can end recording', async () => {
    await fixture.giveRole('Sender', [
      allow('devices.commands:send', 'devices.commands:list', 'devices:read'),
    ])
    await fixture.giveRole('Lister', [allow('devices:list')])
    await fixture.giveRole('Remover of the South', [
      { actions_matching: ['devices.commands:*'], conditions: [{ names_matching: ['South'] }] },
    ])
    const sender = await fixture.personWith(['Sender'])
    const remover = await fixture.personWith(['Sender', 'Remover of the South'])
    const before = (await listed(fixture.alice)).length
    for (const command of DANGEROUS_COMMANDS) {
      const { status, code } = await getProblem(send(sender, { command, params: {} }))
      assert.deepEqual([status, code], [403, 'not_permitted'], command)
      assert.equal(await getCode(send(remover, { command, params: {} })), 'not_permitted', command)
    }
    assert.equal((await listed(fixture.alice)).length, before, 'nothing was sent')
    for (const command of DANGEROUS_COMMANDS)
      assert.equal((await send(fixture.alice, { command, params: {} })).command, command)
    assert.equal((await send(sender)).raised_by, 'carol')
    await finish()
  })

  it('accept their own parameters and no others', async () => {
    const text = 'In a meeting'
    assert.deepEqual((await send(fixture.alice, { command: 'sms_auto_response', params: { text } })).params, {
      text,
    })
    const bare = { command: 'sync_data' } as CommandInput
    assert.deepEqual((await send(fixture.alice, bare)).params, {})
    for (const body of [
      { command: 'sms_auto_response', params: {} },
      { command: 'sms_auto_response', params: { text: '' } },
      { command: 'sync_data', params: { now: true } },
      { command: 'sms_auto_response' },
      { command: 'self_destruct', params: {} },
      { command: 'reupload_sms_messages', params: { from: 'yesterday' } },
    ])
      assert.equal(
        await getCode(send(fixture.alice, body as CommandInput)),
        'invalid_input',
        JSON.stringify(body),
      )
    await finish()
  })

  it('are listed newest first, page by page, and filtered by kind and state', async () => {
    const all = await listed(fixture.alice)
    assert.ok(all.length > 8)
    assert.deepEqual(
      all.map((each) => each.command_reference),
      all
        .map((each) => each.command_reference)
        .toSorted()
        .toReversed(),
    )
    const paged = await everyRow((paging) =>
      fixture.alice.api.listCommands({ query: { limit: 3, ...paging } }),
    )
    assert.deepEqual(paged, all)
    const oldest = await everyRow((paging) =>
      fixture.alice.api.listCommands({ query: { limit: 3, order: 'oldest', ...paging } }),
    )
    assert.deepEqual(oldest, all.toReversed())
    const failed = await listed(fixture.alice, { states: ['Failed'], commands: ['sync_data'] })
    assert.deepEqual(
      failed.map(({ message }) => message),
      ['No room'],
    )
    assert.deepEqual(await fixture.alice.api.listCommands({ query: { type: 'total', raised_by: 'carol' } }), {
      total: 1,
    })
    assert.equal((await listed(fixture.alice, { from: '2100-01-01' })).length, 0)
  })

  it('deliver a verification code that is not stored, of which only the newest is valid', async () => {
    const { params } = await send(fixture.alice, { command: 'send_verification_sms', params: {} })
    assert.deepEqual(params, {})
    const codes: unknown[] = []
    for (let i = 0; i < 2; i++) {
      const [result] = await harriet.commands()
      assert.equal(result?.params.gateway_number, '+441632960000')
      codes.push(result?.params.verification_code)
    }
    const verify = (verification_code: unknown) =>
      fixture.server.app.inject({
        method: 'POST',
        url: '/admin/v1/internal/verify',
        payload: { phone_number: '+447700900101', verification_code },
      })
    assert.equal((await verify(codes[0])).json().is_verified, false)
    assert.equal((await verify(codes[1])).json().is_verified, true)
    const [stored] = await fixture.sql<{ params: object }>(
      `select params from device_commands where command = 'send_verification_sms'`,
    )
    assert.deepEqual(stored?.params, {})
    await finish()
  })

  it('fail when a device does not answer for thirty days', async () => {
    const sent = await send(fixture.alice)
    const acknowledged = await send(fixture.alice)
    await harriet.report(acknowledged.command_reference, 'Acknowledged')
    const days = COMMAND_ANSWER_DAYS * 86_400
    const run = (now: number) =>
      endUnansweredCommands.run({ ...fixture.server.ctx, now: () => now }, {}, new AbortController().signal)
    await run(sent.sent_at + days)
    assert.equal((await getState(sent.command_reference)).state, 'Sent')
    const later = acknowledged.sent_at + 2 * days
    await run(later)
    for (const { command_reference } of [sent, acknowledged]) {
      const { state, failure, completed_at } = await getState(command_reference)
      assert.deepEqual([state, failure, completed_at], ['Failed', 'no_answer', later])
      assert.equal(await harriet.report(command_reference, 'Completed'), 'Failed')
    }
  })

  it('wake a sleeping device by its push service, only while a command is open', async () => {
    await fixture.sql(`update devices set fcm_token = 'token of Harriet' where device_reference = $1`, [
      reference,
    ])
    woken.length = 0
    const { command_reference } = await send(fixture.alice)
    await until('the phone to be woken', () => woken.length > 0)
    assert.deepEqual(woken, ['token of Harriet'])
    await harriet.report(command_reference, 'Completed')
    const [row] = await fixture.sql<{ client_id: number; device_id: number }>(
      'select client_id, device_id from devices where device_reference = $1',
      [reference],
    )
    assert.ok(row)
    await finish()
    await wakeDevice.run(fixture.server.ctx, row, new AbortController().signal)
    assert.equal(woken.length, 1, 'it has no open command')
  })

  it('change state in the database only along the permitted transitions', async () => {
    for (const from of COMMAND_STATES)
      for (const to of COMMAND_STATES) {
        const { command_reference } = await send(fixture.alice)
        const put = (state: string) =>
          fixture.sql(
            `update device_commands set state = $2::text, acknowledged_at = 1, completed_at = case when $2::text in ('Completed', 'Failed') then 1 end,
               failure = case when $2::text = 'Failed' then 'reported' end where command_reference = $1`,
            [command_reference, state],
          )
        if (from !== 'Sent') await put(from)
        const isAllowed = from === to || COMMAND_TRANSITIONS[from].includes(to)
        const moved = await put(to).then(
          () => true,
          () => false,
        )
        assert.equal(moved, isAllowed, `${from} to ${to}`)
      }
  })

  it('go to each selected device, or to all that match a filter, as far as the sender may', async () => {
    await finish()
    const { api } = fixture.alice
    const order: CommandInput = { command: 'allow_power_off', params: {} }
    const all = getRows<{ device_reference: string }>(api.listDevices({}))
    const [other = ''] = (await all).flatMap((each) =>
      each.device_reference === reference ? [] : each.device_reference,
    )
    const lister = await fixture.personWith(['Sender', 'Lister', 'Remover of the South'])
    const without = { order, device_references: [reference, 'unknown'] }
    assert.deepEqual((await lister.api.sendCommands({ body: without })).data, [
      { device_reference: reference, device_name: 'Pretend 1', status: 'NotPermitted' },
      { device_reference: 'unknown', status: 'NoMatchingRecord' },
    ])
    const north = await api.sendCommands({ query: { groups: ['North'] }, body: { order: SYNC, all: true } })
    const named = { device_reference: reference, device_name: 'Harriet Cole · Pretend 1' }
    assert.deepEqual([north.data, north.is_cut], [[{ ...named, status: 'Ok' }], false])
    assert.deepEqual(await joao.commands(), [])
    const sent = await api.sendCommands({ body: { order: SYNC, all: true } })
    assert.deepEqual(
      sent.data.map(({ status }) => status),
      sent.data.map(() => 'Ok'),
    )
    assert.ok(sent.data.some(({ device_reference }) => device_reference === other))
    assert.equal((await joao.commands()).length, 1)
    assert.equal((await harriet.commands()).length, 2)
    for (const { command_reference } of await joao.commands())
      await joao.report(command_reference, 'Completed')
    const [entry] = await fixture.sql<{ facts: object }>(
      `select parameters::jsonb -> 'facts' as facts from portal_activities
       where action = 'devices.commands:send' order by log_id desc limit 1`,
    )
    assert.deepEqual(entry?.facts, { devices: sent.data.length, command: 'sync_data' })
    await finish()
  })

  it('leave out deactivated devices, which fetch no commands', async () => {
    await fixture.alice.api.deactivateDevice(at())
    const refused = await send(fixture.alice).catch((error: unknown) => error)
    assert.ok(refused instanceof ApiProblem)
    assert.deepEqual([refused.code, refused.faults[0]?.code], ['wrong_state', 'device_deactivated'])
    const before = await listed(fixture.alice)
    const { data } = await fixture.alice.api.sendCommands({ body: { order: SYNC, all: true } })
    assert.equal(data.find((each) => each.device_reference === reference)?.status, 'Deactivated')
    assert.equal(data.filter(({ status }) => status === 'Ok').length, data.length - 1)
    assert.deepEqual(await listed(fixture.alice), before)
    await harriet.authenticate()
    assert.equal((await send(fixture.alice)).state, 'Sent')
    await finish()
  })
})
