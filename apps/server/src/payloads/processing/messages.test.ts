import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { ingestFixture, sealRecording } from '../../testing/ingest-fixture.ts'
import { LONG, longOnly } from '../../testing/long.ts'
import { MAX_OWN_TEXT, openObject, readWhole } from '../data-objects.ts'
import { beginAttempt, findSubjects, forgetAttempts } from './attempts-store.ts'
import { openMetadata } from './examine.ts'
import { readText, takeApart } from './message-parts.ts'
import { processOne } from './process.ts'

const fixture = await ingestFixture()
after(() => fixture.close())
const phone = await fixture.phone('acme')

const json = (content: unknown): Buffer => Buffer.from(JSON.stringify(content))

/** Threads that start during a call. */
async function threadsDuring<T>(work: () => Promise<T>): Promise<{ result: T; threads: number }> {
  let threads = 0
  const count = () => void threads++
  process.on('worker', count)
  try {
    return { result: await work(), threads }
  } finally {
    process.off('worker', count)
  }
}

async function through(data: Buffer) {
  const reference = await phone.deliver(await sealRecording(phone, 'MMS', data))
  const { threads } = await threadsDuring(() => fixture.work())
  const row = await fixture.state(reference)
  return { reference, threads, state: row?.state, failure: row?.failure }
}

async function getObjects(payload_reference: string): Promise<Map<string, Buffer>> {
  const opened = new Map<string, Buffer>()
  for (const object of await fixture.getObjects(payload_reference))
    opened.set(object.kind, await readWhole(await openObject(fixture.ctx, 'acme', payload_reference, object)))
  return opened
}

/** Large enough for a thread. */
const heavy = json({ text: '', attachments: [{ content_type: 'a/b', data: 'A'.repeat(2_000_000) }] })

const LARGE = 31 * 1024 ** 2
const many = (piece: string, head = '', tail = '') =>
  Buffer.from(head + piece.repeat(Math.floor((LARGE - head.length - tail.length) / piece.length)) + tail)

const HOSTILE: Readonly<Record<string, () => Buffer>> = {
  'nested lists': () => many('['),
  'millions of values': () => many('1,', '{"text":"x","attachments":[', '1]}'),
  'one text of 31 MB': () => many('x', '{"text":"', '"}'),
  'a text of escape sequences': () => many('\\u0000', '{"text":"', '"}'),
  'a key of 31 MB': () => many('x', '{"text":"","', '":1}'),
  'millions of empty attachments': () => many('{"data":""},', '{"text":"","attachments":[', '{}]}'),
}

for (const [name, make] of Object.entries(HOSTILE).slice(0, LONG ? undefined : 1)) {
  test(`a document of 31 MB with ${name} fails without blocking the process`, async () => {
    const reference = await phone.deliver(await sealRecording(phone, 'SMS', make()))
    let longest = 0
    let last = process.threadCpuUsage()
    // CPU time of this thread between two beats: time that it waits on a busy machine does not count.
    const pulse = setInterval(() => {
      const { user, system } = process.threadCpuUsage(last)
      longest = Math.max(longest, (user + system) / 1000)
      last = process.threadCpuUsage()
    }, 20)
    const { threads } = await threadsDuring(() => fixture.work())
    clearInterval(pulse)
    const row = await fixture.state(reference)
    assert.deepEqual([row?.state, row?.failure, threads], ['Failed', 'malformed_message', 1])
    // Parsed in this thread it took nine seconds.
    assert.ok(longest < 6000, `nothing else could run for ${longest} ms of a processor`)
  })
}

test('a small message is parsed in the same thread, and a large one in a worker thread', async () => {
  const small = await through(json({ text: 'hello' }))
  assert.deepEqual([small.state, small.threads], ['Processed', 0])
  const bytes = randomBytes(LONG ? 20_000_000 : 4_000_000)
  const attachments = [{ content_type: 'x/y', data: bytes.toString('base64') }]
  const large = await through(json({ text: 'look', attachments }))
  assert.deepEqual([large.state, large.threads], ['Processed', 1])
  const objects = await getObjects(large.reference)
  assert.ok(objects.get('attachment-0')?.equals(bytes))
  assert.deepEqual(JSON.parse(String(objects.get('text'))), {
    text: 'look',
    attachments: [{ content_type: 'application/octet-stream', size: bytes.length, part: 0 }],
  })
})

test('attachments are found in any JSON notation, and other fields are not taken for attachments', async () => {
  const good = Buffer.from(
    '{ "attachments" : [ { "data" :\n"\\/\\/\\/\\/" , "content_type":"a\\"data\\":" }, {"content_type":"b","data":""} ], "text":"\\"data\\":\\"x\\"" }',
  )
  const { reference, state } = await through(good)
  assert.equal(state, 'Processed')
  const objects = await getObjects(reference)
  assert.deepEqual(objects.get('attachment-0'), Buffer.from('////', 'base64'))
  assert.equal(objects.get('attachment-1')?.length, 0)
  assert.equal(JSON.parse(String(objects.get('text'))).text, '"data":"x"')
  for (const bad of [
    '{"text":"","attachments":[{"content_type":"a","data":"AAAA","data":"BBBB"}]}',
    '{"text":"","attachments":[{"content_type":"a","d\\u0061ta":"0"},{"content_type":"b","data":"AAAA"}]}',
    '{"text":"","attachments":[{"content_type":"a","data":"AAA"}]}',
    '{"text":"","attachments":[{"content_type":"a","data":7}]}',
    '{"text":"","data":"AAAA"}',
    '{"text":"',
  ])
    assert.equal((await through(Buffer.from(bad))).failure, 'malformed_message', bad)
})

test('a long text is shortened for conversations, and also stored in full', async () => {
  const text = `${'x'.repeat(19_999)}\u{1f600}${'y'.repeat(500_000)}`
  const { reference } = await through(json({ text }))
  const objects = await getObjects(reference)
  assert.deepEqual(JSON.parse(String(objects.get('text'))), { text: 'x'.repeat(19_999), is_shortened: true })
  assert.equal(String(objects.get('whole-text')), text)
})

test('a short message without attachments is its own text', async () => {
  const document = Buffer.from(`\ufeff{"text":"short"}`)
  const objects = await getObjects((await through(document)).reference)
  assert.deepEqual([...objects.keys()], ['original'])
  assert.deepEqual(readText(objects.get('original')!), { text: 'short' })
  const padded = Buffer.concat([document, Buffer.alloc(MAX_OWN_TEXT, ' ')])
  const parts = await getObjects((await through(padded)).reference)
  assert.deepEqual(readText(parts.get('text')!), { text: 'short' })
})

test('content that crashed the process three times fails with a reason and an alert', async () => {
  const { client_id } = fixture.accounts.acme
  const data = heavy
  const reference = await phone.deliver(await sealRecording(phone, 'SMS', data))
  const payload_id = (await fixture.state(reference))?.payload_id ?? 0
  const key = { client_id, payload_id }
  // The state after a process that crashes while reading.
  for (let i = 0; i < 3; i++) await beginAttempt(fixture.ctx, key)
  await fixture.work()
  const row = await fixture.state(reference)
  assert.deepEqual([row?.state, row?.failure], ['Failed', 'processing_crashed'])
  const [alert] = await fixture.sql<{ count: string }>(
    'select count(*) from alerts where alert_key like $1',
    ['processing_crashed%'],
  )
  assert.ok(Number(alert?.count) > 0)
})

test('attempts that fail because the storage is unavailable do not count as crashes', async () => {
  const { client_id } = fixture.accounts.acme
  const data = heavy
  const reference = await phone.deliver(await sealRecording(phone, 'SMS', data))
  const payload_id = (await fixture.state(reference))?.payload_id ?? 0
  const full = {
    ...fixture.ctx,
    objects: {
      ...fixture.ctx.objects,
      read: fixture.ctx.objects.read,
      put: async () => Promise.reject(new Error('full')),
    },
  }
  for (let i = 0; i < 5; i++)
    await assert.rejects(processOne(full, client_id, payload_id, new AbortController().signal), /full/)
  await forgetAttempts(fixture.ctx, { client_id, payload_id })
  await fixture.work()
  assert.equal((await fixture.state(reference))?.state, 'Processed')
})

test('documents and metadata that are too deep or have too many values are refused before parsing', async () => {
  const deep = `{"text":${'['.repeat(16)}${']'.repeat(16)}}`
  assert.throws(() => takeApart(Buffer.from(deep)), /too deep/)
  const change = (meta: object) => ({ ...meta, payload_notes: Array.from({ length: 60_000 }, () => 1) })
  const reference = await phone.deliver(await sealRecording(phone, 'SMS', json({ text: '' }), { change }))
  const { client_id } = fixture.accounts.acme
  const payload_id = (await fixture.state(reference))?.payload_id ?? 0
  const [subject] = await findSubjects(fixture.ctx, client_id, [payload_id])
  assert.ok(subject)
  await assert.rejects(openMetadata(fixture.ctx, subject), { code: 'malformed_meta', message: /too deep/ })
})

test('a process with a small heap survives the largest documents', async () => {
  const script = `
    import { readMessage } from './read-message.ts'
    const source = (bytes) => ({ size: bytes.length, async *read() { yield bytes } })
    const refused = await readMessage(source(Buffer.alloc(${LARGE}, '[')), {}, () => {}).catch((error) => error.code)
    const head = '{"text":"","attachments":[{"content_type":"a","data":"'
    const data = Buffer.alloc(head.length + ${LARGE - 1024} + 4, 'A')
    data.write(head)
    data.write('"}]}', data.length - 4)
    const read = await readMessage(source(data), {}, async (message) => message)
    console.log(refused, read.attachments.length)`
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--max-old-space-size=64', '--input-type=module', '-e', script],
    { cwd: import.meta.dirname },
  )
  assert.equal(stdout.trim(), 'malformed_message 1')
})

test('an API with a small heap survives twelve readers of huge conversations', longOnly, async () => {
  const { NODE_TEST_CONTEXT: _context, ...env } = process.env
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [
      '--max-old-space-size=96',
      '--test-name-pattern=twelve readers',
      '--test-reporter=tap',
      '../detail/read.test.ts',
    ],
    { cwd: import.meta.dirname, env },
  )
  assert.match(stdout, /^\s*ok \d+ - cuts a page/m)
})
