import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, beforeEach, describe, it } from 'node:test'
import type { PayloadMeta, Sequence } from '@custodia/contract'
import { ulid } from 'ulid'
import {
  folderStore,
  memoryStore,
  openPhone,
  type PhoneEvent,
  type PhoneOptions,
  type Recording,
} from './index.ts'
import { accountKey, pretendServer, WAIT_SECONDS } from './pretend-server.test-support.ts'

const server = await pretendServer()
const folders: string[] = []
after(async () => {
  await server.close()
  for (const folder of folders) await rm(folder, { recursive: true, force: true })
})
beforeEach(() => {
  server.hinder = () => undefined
  server.verdict = () => 'processed'
  server.takesAgain = true
  server.calls = {}
})

const clock = { now: () => 1_790_000_000, sleep: async () => {} }
const enrolment = {
  server_url: server.url,
  account_reference: 'acme',
  account_key: accountKey.toString('base64'),
}
const identity = {
  model: 'Pixel 9',
  os_version: '16',
  app_version: '1.0',
  phone_numbers: ['+442071234567'],
  imeis: [],
}

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'custodia-phone-'))
  folders.push(folder)
  return folder
}

const phoneWith = (options: Partial<PhoneOptions> = {}) =>
  openPhone({
    enrolment,
    identity,
    store: memoryStore(),
    clock,
    retry: { tries: 3, firstPauseMs: 1 },
    ...options,
  })

function sms(text: string): Recording & { meta: { payload_reference: string } } {
  const meta = {
    payload_reference: ulid(),
    timezone: 'Europe/London',
    timezone_offset: 60,
    local_time: '2026-09-21T15:13:20',
    payload_time: 1_790_000_000,
    thread_id: 't1',
    direction: 'O',
    length: text.length,
    message_parties: [{ phone_number: '+5511987654321' }],
  } satisfies PayloadMeta
  return { payload_type: 'SMS', meta, data: () => chunks(JSON.stringify({ text })) }
}

async function* chunks(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}

describe('the device client', () => {
  it('encrypts, announces and uploads a payload, and deletes its copy once processed', async () => {
    const store = memoryStore()
    const phone = await phoneWith({ store })
    const recording = sms('the contract is signed')
    await phone.record(recording)
    assert.deepEqual(await phone.sync(), { freed: 1, waiting: 0, refused: 0 })
    const opened = await server.open(recording.meta.payload_reference)
    assert.deepEqual(JSON.parse(opened.data.toString()), { text: 'the contract is signed' })
    const { sequence, ...meta } = opened.meta as typeof recording.meta & { sequence: Sequence }
    assert.deepEqual(meta, recording.meta)
    assert.deepEqual([sequence.seq, sequence.prev_hash], [1, null])
    assert.deepEqual([await store.entries(), await store.sealedReferences()], [[], []])
    assert.equal(server.calls.readDeviceKey, 1)
    const references = [recording.meta.payload_reference, ...Array.from({ length: 150 }, () => ulid())]
    const statuses = (await phone.status(references)).map((each) => each.status)
    assert.deepEqual([statuses.length, ...new Set(statuses)], [151, 'processed', 'not_found'])
  })

  it('numbers recordings of each type without gaps, also after a crash', async () => {
    const store = await folderStore(await newFolder())
    const first = await phoneWith({ store })
    await Promise.all([first.record(sms('a')), first.record(sms('b'))])
    // Killed after it stored the second recording and before it noted the number.
    const crashed = { ...store, writeNumbering: () => Promise.reject(new Error('killed')) }
    await assert.rejects((await phoneWith({ store: crashed })).record(sms('c')))
    const last = await phoneWith({ store })
    await last.record(sms('d'))
    const entries = last.queue()
    await last.sync()
    const opened = await Promise.all(
      entries.map(async ({ announcement }) => ({
        hash: createHash('sha256').update(announcement.meta, 'base64').digest('hex'),
        ...((await server.open(announcement.payload_reference)).meta as { sequence: Sequence }).sequence,
      })),
    )
    opened.sort((a, b) => a.seq - b.seq)
    assert.deepEqual(
      opened.map(({ seq, prev_hash }) => [seq, prev_hash]),
      [1, 2, 3, 4].map((seq) => [seq, opened[seq - 2]?.hash ?? null]),
    )
    assert.equal(new Set(opened.map(({ chain_id }) => chain_id)).size, 1)
  })

  it('keeps its copy while the server checks and uploads it again after a failure', async () => {
    const store = memoryStore()
    const phone = await phoneWith({ store })
    const recording = sms('x')
    const reference = recording.meta.payload_reference
    await phone.record(recording)
    server.verdict = () => 'pending'
    assert.deepEqual(await phone.sync({ patience: 0 }), { freed: 0, waiting: 1, refused: 0 })
    assert.ok(await store.readSealed(reference))
    server.received.get(reference)!.status = 'failed'
    await phone.sync({ patience: 0 })
    assert.ok(await store.readSealed(reference))
    assert.equal(phone.queue()[0]?.state, 'queued')
    server.verdict = () => 'processed'
    assert.deepEqual(await phone.sync(), { freed: 1, waiting: 0, refused: 0 })
    assert.equal(server.received.get(reference)?.uploads, 2)
  })

  it('stops after three failures, keeps its copy and records the reason', async () => {
    const store = memoryStore()
    const phone = await phoneWith({ store })
    const recording = sms('x')
    await phone.record(recording)
    server.verdict = () => 'failed'
    assert.deepEqual(await phone.sync(), { freed: 0, waiting: 0, refused: 1 })
    const [entry] = await store.entries()
    assert.deepEqual([entry?.refusal, entry?.reason, entry?.sends], ['failed', 'tampered_data', 3])
    assert.ok(await store.readSealed(recording.meta.payload_reference))
    assert.equal(server.received.get(recording.meta.payload_reference)?.uploads, 3)
  })

  it('does not upload again when the server no longer asks for the data', async () => {
    const phone = await phoneWith()
    const recording = sms('x')
    await phone.record(recording)
    server.verdict = () => 'failed'
    server.takesAgain = false
    assert.deepEqual(await phone.sync(), { freed: 0, waiting: 0, refused: 1 })
    assert.equal(phone.queue()[0]?.refusal, 'failed')
    assert.equal(server.received.get(recording.meta.payload_reference)?.uploads, 1)
  })

  it('retries every call after a lost connection and a 503', async () => {
    const seen = new Map<string, number>()
    server.hinder = (row) => {
      const times = (seen.get(row) ?? 0) + 1
      seen.set(row, times)
      return times === 1 ? 0 : times === 2 ? 503 : undefined
    }
    const phone = await phoneWith()
    await phone.record(sms('x'))
    assert.deepEqual(await phone.sync(), { freed: 1, waiting: 0, refused: 0 })
    for (const row of [
      'authenticateDevice',
      'readDeviceKey',
      'announcePayloads',
      'uploadPayload',
      'readPayloadStatus',
    ]) {
      assert.equal(seen.get(row), 3, row)
    }
  })

  for (const row of ['announcePayloads', 'uploadPayload', 'readPayloadStatus'])
    it(`waits for the retry-after of an overloaded server without losing a payload: ${row}`, async () => {
      const pauses: number[] = []
      let refusals = 0
      server.hinder = (asked) => (asked === row && refusals++ < 2 ? 429 : undefined)
      const phone = await phoneWith({
        clock: { ...clock, sleep: async (milliseconds) => void pauses.push(milliseconds) },
      })
      await phone.record(sms('x'))
      assert.deepEqual(await phone.sync(), { freed: 1, waiting: 0, refused: 0 })
      assert.equal(pauses.filter((pause) => pause >= WAIT_SECONDS * 1000).length, 2)
    })

  it('fails the sync without a network and keeps the payload for the next one', async () => {
    const phone = await phoneWith()
    await phone.record(sms('x'))
    server.hinder = () => 0
    await assert.rejects(phone.sync(), TypeError)
    assert.equal(phone.queue().length, 1)
    server.hinder = () => undefined
    assert.equal((await phone.sync()).freed, 1)
  })

  it('authenticates again when its token is refused', async () => {
    const phone = await phoneWith()
    await phone.record(sms('x'))
    server.forgetTokens()
    assert.equal((await phone.sync()).freed, 1)
    assert.equal(server.calls.authenticateDevice, 2)
  })

  it('requests a new upload address when one has expired', async () => {
    const phone = await phoneWith()
    await phone.record(sms('x'))
    let refused = false
    server.hinder = (row) => {
      if (row !== 'uploadPayload' || refused) return undefined
      refused = true
      return 403
    }
    assert.equal((await phone.sync()).freed, 1)
    assert.equal(server.calls.announcePayloads, 2)
  })

  it('rejects only the announcement that the server cannot read', async () => {
    const phone = await phoneWith()
    const [good, bad] = [sms('good'), sms('bad')]
    await phone.record(good)
    await phone.record(bad)
    server.hinder = (row, body) =>
      row === 'announcePayloads' && body.includes(bad.meta.payload_reference) ? 400 : undefined
    assert.deepEqual(await phone.sync(), { freed: 1, waiting: 0, refused: 1 })
    assert.equal(phone.queue()[0]?.refusal, 'invalid_announcement')
  })

  it('keeps its copy when the reference was used for other data', async () => {
    const recording = sms('mine')
    const other = await phoneWith()
    await other.record({ ...sms('theirs'), meta: recording.meta, data: () => chunks('{"text":"theirs"}') })
    await other.sync()
    const phone = await phoneWith()
    await phone.record(recording)
    assert.deepEqual(await phone.sync(), { freed: 0, waiting: 0, refused: 1 })
    assert.equal(phone.queue()[0]?.refusal, 'payload_conflict')
  })

  it('only announces calls without data, and keeps failed ones', async () => {
    const phone = await phoneWith()
    const {
      thread_id: _,
      direction: __,
      length: ___,
      message_parties: ____,
      ...common
    } = sms('').meta as never as Record<string, unknown>
    const meta = {
      ...common,
      payload_end_time: 1_790_000_000,
      size: 0,
      second_parties: [],
      reason_for_blocking: 'policy',
    }
    await phone.record({ payload_type: 'BlockedCall', meta: meta as never })
    assert.deepEqual(await phone.sync(), { freed: 1, waiting: 0, refused: 0 })
    assert.equal(server.calls.uploadPayload, undefined)
    server.verdict = () => 'failed'
    const unreadable = { ...meta, payload_reference: ulid() }
    await phone.record({ payload_type: 'BlockedCall', meta: unreadable as never })
    assert.deepEqual(await phone.sync(), { freed: 0, waiting: 0, refused: 1 })
    assert.deepEqual(
      phone.queue().map(({ announcement, refusal }) => [announcement.payload_reference, refusal]),
      [[unreadable.payload_reference, 'failed']],
    )
  })

  it('rejects an invalid recording without quoting its content', async () => {
    const phone = await phoneWith()
    const recording = sms('x')
    await assert.rejects(
      phone.record({ ...recording, meta: { ...recording.meta, direction: 'secret' } as never }),
      (error: Error) => error.name === 'InvalidRecording' && !error.message.includes('secret'),
    )
    await assert.rejects(phone.record({ ...recording, data: undefined }), { name: 'InvalidRecording' })
  })

  it('records a reference once, also on concurrent calls', async () => {
    const phone = await phoneWith()
    const recording = sms('x')
    await Promise.all([phone.record(recording), phone.record(recording)])
    await phone.record(recording)
    assert.deepEqual(await phone.sync(), { freed: 1, waiting: 0, refused: 0 })
  })
})

describe('the device client with a folder store', () => {
  it('continues after a crash at any step', async () => {
    for (const stopAt of ['queued', 'announced', 'uploaded'] as const) {
      const folder = await newFolder()
      const recording = sms(stopAt)
      const reference = recording.meta.payload_reference
      const crash = (event: PhoneEvent) => {
        if (event.type === stopAt) throw new Error('the battery is empty')
      }
      const doomed = await phoneWith({ store: await folderStore(folder), onEvent: crash })
      await assert.rejects(
        doomed.record(recording).then(() => doomed.sync()),
        /battery/,
      )
      const phone = await phoneWith({ store: await folderStore(folder) })
      assert.equal(phone.queue().length, 1, stopAt)
      assert.deepEqual(await phone.sync(), { freed: 1, waiting: 0, refused: 0 }, stopAt)
      assert.equal(server.received.get(reference)?.uploads, 1, stopAt)
      assert.deepEqual(JSON.parse((await server.open(reference)).data.toString()), { text: stopAt })
    }
  })

  it('stores no plaintext and removes half-written files after a crash', async () => {
    const folder = await newFolder()
    await writeFile(join(folder, 'key.json.1.part'), '{')
    const phone = await phoneWith({ store: await folderStore(folder) })
    await phone.record(sms('top secret merger'))
    await writeFile(join(folder, 'sealed', `${ulid()}.sealed`), 'left over')
    await writeFile(join(folder, 'queue', 'x.json.1.part'), '{')
    const names = async () =>
      (await readdir(folder, { recursive: true, withFileTypes: true })).filter((each) => each.isFile())
    for (const file of await names()) {
      assert.ok(!(await readFile(join(file.parentPath, file.name))).includes('merger'), file.name)
    }
    await phoneWith({ store: await folderStore(folder) })
    assert.deepEqual((await names()).map((each) => each.name.replace(/^.*\./, '')).toSorted(), [
      'json',
      'json',
      'json',
      'json',
      'sealed',
    ])
  })

  it('does not send a copy that lost bytes', async () => {
    const folder = await newFolder()
    const phone = await phoneWith({ store: await folderStore(folder) })
    const recording = sms('x')
    await phone.record(recording)
    await writeFile(join(folder, 'sealed', `${recording.meta.payload_reference}.sealed`), 'short')
    assert.deepEqual(await phone.sync(), { freed: 0, waiting: 0, refused: 1 })
    assert.equal(phone.queue()[0]?.refusal, 'local_copy_lost')
  })

  it('encrypts offline with a cached key', async () => {
    const folder = await newFolder()
    await (await phoneWith({ store: await folderStore(folder) })).key()
    server.hinder = () => 0
    const late = { now: () => clock.now() + 30 * 86_400, sleep: async () => {} }
    const phone = await phoneWith({ store: await folderStore(folder), clock: late })
    await phone.record(sms('offline'))
    server.hinder = () => undefined
    assert.equal((await phone.sync()).freed, 1)
  })
})
