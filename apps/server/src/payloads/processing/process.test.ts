import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import { PAYLOAD_TYPES, PayloadDocument } from '@custodia/contract'
import { newDek, wrapDek } from '@custodia/envelope'
import { ulid } from 'ulid'
import { DatabaseProblem } from '../../ports/database/problem.ts'
import { detectMedia } from '../../ports/media/index.ts'
import { clamdScanner } from '../../ports/scanner/clamd.ts'
import { noScanner, ScannerUnavailable } from '../../ports/scanner/port.ts'
import { clamdAvailable, eicar, startClamd } from '../../testing/clamd.ts'
import { ingestFixture, type SealedRecording, sealRecording, sha256 } from '../../testing/ingest-fixture.ts'
import { getBytes, media_files } from '../../testing/media-files.ts'
import { requirePart } from '../../testing/require-part.ts'
import { openObject, readWhole } from '../data-objects.ts'
import { processOne, processPayload } from './process.ts'

const media = await detectMedia({ ffmpeg: process.env.FFMPEG_PATH, ffprobe: process.env.FFPROBE_PATH })
const never = new AbortController().signal

const fixture = await ingestFixture({ media })
after(() => fixture.close())
const phone = await fixture.phone('acme')

const text = (content: unknown): Buffer => Buffer.from(JSON.stringify(content))
const message = text({ text: 'hello' })

/** Announces, uploads, processes. */
async function through(recording: SealedRecording): Promise<string> {
  const reference = await phone.deliver(recording)
  await fixture.work()
  return reference
}

async function getAlerts(reference: string): Promise<string[]> {
  const rows = await fixture.sql<{ alert_key: string }>(
    `select alert_key from alerts where alert_target = 'client' and occurrences::text like $1`,
    [`%${reference}%`],
  )
  return rows.map(({ alert_key }) => alert_key.split(' ')[0] ?? '')
}

for (const type of PAYLOAD_TYPES) {
  const isDataless = type === 'AbortedCall' || type === 'BlockedCall'
  test(`${type}: the sealed recording arrives unchanged, with its document`, async () => {
    const isMessage = ['SMS', 'MMS', 'RCS'].includes(type)
    const data = isMessage ? message : randomBytes(300_000)
    const row = await fixture.upload(phone, type, isDataless ? undefined : data)
    const reference = row.payload_reference
    assert.deepEqual([row.state, row.failure], [isDataless ? 'NotRecorded' : 'Processed', null])
    const [document] = await fixture.sql<{ list_doc: string }>(
      'select list_doc from payload_documents where payload_id = $1',
      [row?.payload_id],
    )
    PayloadDocument.parse(JSON.parse(document?.list_doc ?? ''))
    assert.deepEqual(
      await fixture.sql('select from payload_work where payload_id = $1', [row?.payload_id]),
      [],
    )
    assert.equal((await phone.status(reference))[0]?.status, 'processed')
    if (isDataless) return
    const [original] = (await fixture.getObjects(reference)).filter(({ kind }) => kind === 'original')
    assert.ok(original)
    assert.equal(original.checksum, sha256(data))
    assert.deepEqual(await readWhole(await openObject(fixture.ctx, 'acme', reference, original)), data)
  })
}

test('the phone number of a second party is stored and marked as such', async () => {
  const reference = await through(await sealRecording(phone, 'Call', Buffer.from('x')))
  const rows = await fixture.sql(
    `select is_second from payload_numbers join payloads using (payload_id) where payload_reference = $1
       and number_hash = hashtextextended('+447700900002', 0)`,
    [reference],
  )
  assert.deepEqual(rows, [{ is_second: true }])
})

test('attachments of a message become separate objects, typed by their content', async () => {
  const { file = '' } = media_files.find((each) => each.file.startsWith('mms/')) ?? {}
  const png = getBytes(file)
  const attachments = [
    { name: '../../x.exe', content_type: 'text/html', data: png.toString('base64') },
    { content_type: 'text/plain', data: Buffer.from('note').toString('base64') },
  ]
  const reference = await through(await sealRecording(phone, 'MMS', text({ text: 'two', attachments })))
  const objects = await fixture.getObjects(reference)
  assert.deepEqual(
    objects.map(({ kind }) => kind),
    ['attachment-0', 'attachment-1', 'original', 'text'],
  )
  const [first] = objects
  assert.ok(first)
  assert.match(first.content_type, /^image\//)
  assert.deepEqual(await readWhole(await openObject(fixture.ctx, 'acme', reference, first)), png)
})

test('sealed data with one changed bit and a matching checksum fails with tampered_data', async () => {
  const recording = await sealRecording(phone, 'Photo', randomBytes(600_000))
  recording.sealed[400_000]! ^= 1
  recording.announcement.checksum = sha256(recording.sealed)
  await failsFor(recording, 'tampered_data')
  assert.deepEqual(
    await fixture.sql(
      `select distinct alert_scope, alert_target, alert_severity from alerts where alert_key like 'tampered_data %'`,
    ),
    [{ alert_scope: 'sec', alert_target: 'client', alert_severity: 'High' }],
    'altered evidence is a matter of security',
  )
})

test('sealed data that ends after a whole segment fails with truncated_data', async () => {
  const recording = await sealRecording(phone, 'Photo', randomBytes(600_000))
  const sealed = recording.sealed.subarray(0, 512 * 1024)
  const announcement = { ...recording.announcement, checksum: sha256(sealed), size: sealed.length }
  await failsFor({ sealed, announcement }, 'truncated_data')
})

test('an invalid data key, or one of another client, fails with undecryptable_key', async () => {
  const recording = await sealRecording(phone, 'SMS', message)
  await failsFor(
    {
      ...recording,
      announcement: { ...recording.announcement, encrypted_dek: randomBytes(384).toString('base64') },
    },
    'undecryptable_key',
  )
  const foreign = await (await fixture.phone('globex')).key()
  const other = await sealRecording(phone, 'SMS', message)
  const announcement = {
    ...other.announcement,
    key_id: foreign.key_id,
    encrypted_dek: wrapDek(foreign.kek, newDek()),
  }
  await failsFor({ ...other, announcement }, 'undecryptable_key')
})

test('metadata of another payload fails with undecryptable_meta', async () => {
  const one = await sealRecording(phone, 'SMS', message)
  const two = await sealRecording(phone, 'SMS', message)
  const announcement = { ...one.announcement, meta: two.announcement.meta, iv: two.announcement.iv }
  await failsFor({ ...one, announcement }, 'undecryptable_meta')
})

test('metadata with a missing or an extra field fails with malformed_meta', async () => {
  for (const change of [
    (meta: Record<string, unknown>) => ({ ...meta, timezone: undefined }),
    (meta: object) => ({ ...meta, more: 1 }),
  ]) {
    await failsFor(
      await sealRecording(phone, 'SMS', message, {
        change: (meta) => change(meta as Record<string, unknown>),
      }),
      'malformed_meta',
    )
  }
})

test('metadata with another reference or time than announced fails with meta_mismatch', async () => {
  for (const change of [{ payload_reference: ulid() }, { payload_time: 5 }])
    await failsFor(
      await sealRecording(phone, 'SMS', message, { change: (meta) => ({ ...meta, ...change }) }),
      'meta_mismatch',
    )
})

test('a message that is not a valid message document fails with malformed_message', async () => {
  for (const data of [
    Buffer.from('hello'),
    Buffer.from([0x22, 0xff, 0x22]),
    text({ words: 1 }),
    text({ text: 'x', attachments: [{ content_type: 'image/png', data: 'not base64!' }] }),
  ])
    await failsFor(await sealRecording(phone, 'SMS', data), 'malformed_message')
})

/** Expects state Failed, kept bytes, a response to the device, and no second request for the same bytes. */
async function failsFor(recording: SealedRecording, failure: string): Promise<void> {
  const reference = await through(recording)
  const row = await fixture.state(reference)
  assert.deepEqual([row?.state, row?.failure], ['Failed', failure])
  assert.deepEqual(await phone.status(reference), [
    { payload_reference: reference, status: 'failed', reason: failure },
  ])
  assert.deepEqual(await getAlerts(reference), [failure])
  const key = `acme/${reference}/original-0`
  assert.deepEqual(await whole(key), recording.sealed)
  assert.deepEqual(await phone.announce(recording.announcement), [
    { payload_reference: reference, status: 'failed' },
  ])
  // Its existing object does not make it look newly arrived.
  assert.deepEqual(await fixture.awaited('acme', reference), [])
}

async function whole(key: string): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of fixture.ctx.objects.read(key)) chunks.push(chunk)
  return Buffer.concat(chunks)
}

async function* one(bytes: Buffer) {
  yield bytes
}

for (const [what, failure, changed] of [
  ['other bytes', 'wrong_checksum', (sealed: Buffer) => Buffer.from(sealed).fill(7, 50, 60)],
  ['fewer bytes', 'wrong_size', (sealed: Buffer) => sealed.subarray(0, -5)],
] as const) {
  test(`an object with ${what} than announced fails with ${failure}, stays as evidence, and is uploaded again`, async () => {
    const recording = await sealRecording(phone, 'SMS', message)
    const { announcement, sealed } = recording
    const { payload_reference } = announcement
    await phone.announce(announcement)
    // Like an S3 server that does not enforce the signed checksum.
    const bad = changed(sealed)
    await fixture.ctx.objects.put(`acme/${payload_reference}/original-0`, one(bad))
    await fixture.sweep()
    await fixture.work()
    assert.equal((await fixture.state(payload_reference))?.failure, failure)
    assert.equal((await phone.status(payload_reference))[0]?.reason, failure)
    await through(recording)
    const row = await fixture.state(payload_reference)
    assert.deepEqual([row?.state, row?.failure, row?.rejected_count], ['Processed', null, 1])
    assert.deepEqual(await whole(`acme/${payload_reference}/original-0`), bad)
  })
}

test('a missing object is requested from the device again', async () => {
  const recording = await sealRecording(phone, 'SMS', message)
  const reference = await phone.deliver(recording)
  await fixture.ctx.objects.delete(`acme/${reference}/original-0`)
  await fixture.work()
  assert.equal((await fixture.state(reference))?.state, 'Failed')
  await through(recording)
  assert.equal((await fixture.state(reference))?.state, 'Processed')
})

test('concurrent and repeated processing has one effect and leaves no extra object', async () => {
  const attachments = [{ content_type: 'text/plain', data: Buffer.from('note').toString('base64') }]
  const recording = await sealRecording(phone, 'MMS', text({ text: 'x', attachments }))
  const reference = await phone.deliver(recording)
  const [job] = fixture.sent.splice(0)
  assert.ok(job)
  const run = () => processOne(fixture.ctx, job.client_id, job.payload_id, never)
  await Promise.all([run(), run(), run()])
  await run()
  assert.equal((await fixture.state(reference))?.state, 'Processed')
  const steps = await fixture.sql(
    'select to_state from payload_history where payload_id = $1 order by at, to_state',
    [job.payload_id],
  )
  assert.deepEqual(steps, [{ to_state: 2 }, { to_state: 3 }, { to_state: 4 }, { to_state: 5 }])
  const storedKeys: string[] = []
  for await (const { key } of fixture.ctx.objects.list(`acme/${reference}/`)) storedKeys.push(key)
  const known = await fixture.sql<{ object_key: string }>(
    'select object_key from payload_objects where payload_id = $1',
    [job.payload_id],
  )
  assert.deepEqual(storedKeys.toSorted(), known.map(({ object_key }) => object_key).toSorted())
})

test('a payload that cannot be committed does not fail the others of its batch', async () => {
  const references: string[] = []
  for (let i = 0; i < 4; i++) references.push(await phone.deliver(await sealRecording(phone, 'SMS', message)))
  const bad = await sealRecording(phone, 'SMS', Buffer.from('no message'))
  references.push(await phone.deliver(bad))
  const { announcement } = await sealRecording(phone, 'BlockedCall', undefined)
  await phone.announce(announcement)
  references.push(announcement.payload_reference)
  const jobs = fixture.sent.splice(0)
  const runAll = async (some: typeof jobs) =>
    (await processPayload.runAll?.(fixture.ctx, some, never))?.map((error) => error !== undefined)
  const states = () =>
    Promise.all(references.map(async (reference) => (await fixture.state(reference))?.state))
  // Its object already has a row, so the common statement fails for all of them.
  const insertObject = `insert into payload_objects (client_id, payload_id, kind, object_key, sealed_size, size, content_type, created_at)
     values ($1, $2, 'original', 'x', 1, 1, 'x', 1)`
  await fixture.sql(insertObject, [jobs[2]?.client_id, jobs[2]?.payload_id])
  assert.deepEqual(await runAll(jobs), [false, false, true, false, false, false])
  const good = 'Processed'
  assert.deepEqual(await states(), [good, good, 'Scanning', good, 'Failed', 'NotRecorded'])
  await fixture.sql(`delete from payload_objects where object_key = 'x'`)
  assert.deepEqual(await runAll(jobs), [false, false, false, false, false, false])
  assert.deepEqual(await states(), [good, good, good, good, 'Failed', 'NotRecorded'])
})

test('another worker takes over after a worker died while scanning', async () => {
  const reference = await phone.deliver(await sealRecording(phone, 'SMS', message))
  await fixture.sql('update payloads set state = 4 where payload_reference = $1', [reference])
  fixture.sent.splice(0)
  fixture.advance(200)
  await fixture.sweep()
  await fixture.work()
  assert.equal((await fixture.state(reference))?.state, 'Processed')
})

test('objects of a commit whose response was lost are not deleted', async () => {
  const attached = text({ text: 'hello', attachments: [{ content_type: 'a/b', data: '' }] })
  const references = [
    await phone.deliver(await sealRecording(phone, 'SMS', attached)),
    await phone.deliver(await sealRecording(phone, 'SMS', attached)),
  ]
  const jobs = fixture.sent.splice(0)
  const processed = async () => (await fixture.state(references[0] ?? ''))?.state === 'Processed'
  let isLost = false
  const db = Object.create(fixture.ctx.db, {
    write: {
      value: async (...[client_id, work]: Parameters<typeof fixture.ctx.db.write>) => {
        const done = await fixture.ctx.db.write(client_id, work)
        if (isLost || !(await processed())) return done
        isLost = true
        throw new DatabaseProblem('unavailable', null, new Error('Connection terminated'))
      },
    },
  }) as typeof fixture.ctx.db
  await processPayload.runAll?.({ ...fixture.ctx, db }, jobs, never)
  assert.ok(isLost)
  const named = await fixture.sql<{ object_key: string }>(
    `select o.object_key from payload_objects o join payloads p using (payload_id) where p.payload_reference = any($1)`,
    [references],
  )
  assert.equal(named.length, 6, 'an original, a text and an attachment of each')
  for (const { object_key } of named)
    assert.ok(await fixture.ctx.objects.head(object_key), `${object_key} is there`)
})

const withClamd = requirePart('clamd', clamdAvailable())

test('infected and unscannable payloads are quarantined', withClamd, async (t) => {
  const clamd = await startClamd({ limit: 1 << 20 })
  t.after(() => clamd.stop())
  const scanned = await ingestFixture({ scanner: clamdScanner({ path: clamd.path }) })
  t.after(() => scanned.close())
  const mine = await scanned.phone('acme')
  for (const [data, failure] of [
    [eicar, 'malware_found'],
    [randomBytes(3 << 20), 'scan_limit_exceeded'],
    [Buffer.from('clean'), null],
  ] as const) {
    const reference = await mine.deliver(await sealRecording(mine, 'Diagnostics', data))
    await scanned.work()
    const row = await scanned.state(reference)
    assert.deepEqual([row?.state, row?.failure], [failure ? 'Quarantined' : 'Processed', failure])
    // The evidence is stored and intact: the device may delete its copy.
    assert.deepEqual(await mine.status(reference), [{ payload_reference: reference, status: 'processed' }])
  }
  assert.deepEqual(await scanned.sql(`select alert_severity from alerts where alert_scope = 'sec'`), [
    { alert_severity: 'High' },
  ])
})

test('payloads wait while the scanner is unavailable, and none passes unscanned', async (t) => {
  const unreachable = clamdScanner({ path: '/nonexistent.sock' })
  const scanned = await ingestFixture({ scanner: unreachable })
  t.after(() => scanned.close())
  const mine = await scanned.phone('acme')
  const reference = await mine.deliver(await sealRecording(mine, 'SMS', Buffer.from('{"text":"hello"}')))
  const [job] = scanned.sent
  assert.ok(job)
  await assert.rejects(scanned.work(), ScannerUnavailable)
  assert.equal((await scanned.state(reference))?.state, 'Scanning')
  assert.equal((await mine.status(reference))[0]?.status, 'pending')
  Object.assign(scanned.ctx, { scanner: noScanner })
  scanned.sent.push(job)
  await scanned.work()
  assert.equal((await scanned.state(reference))?.state, 'Processed')
})
