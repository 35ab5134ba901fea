import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import { detectMedia } from '../../ports/media/index.ts'
import { ingestFixture, type SealedRecording, sealRecording } from '../../testing/ingest-fixture.ts'
import { bytesOf } from '../../testing/media-files.ts'
import { openObject, readWhole } from '../data-objects.ts'
import { renderPayload } from './render-job.ts'

const AMR = 'calls/en-limit-order.amr'
const media = await detectMedia({ ffmpeg: process.env.FFMPEG_PATH, ffprobe: process.env.FFPROBE_PATH })
const needsMedia = { skip: media === undefined && process.env.CI !== 'true' && 'ffmpeg is not installed' }
const never = new AbortController().signal
const fixture = await ingestFixture({ media })
after(() => fixture.close())
const phone = await fixture.phone('acme')

/** Announces, uploads, processes. */
async function through(recording: SealedRecording): Promise<string> {
  const reference = await phone.deliver(recording)
  await fixture.work()
  return reference
}

test('a call gets a rendition that browsers can play, and a waveform', async () => {
  const reference = await through(await sealRecording(phone, 'Call', bytesOf(AMR)))
  const [waiting, ...none] = await fixture.objectsOf(reference)
  assert.deepEqual([waiting?.details.being_prepared, none], [true, []])
  assert.equal((await fixture.state(reference))?.state, 'Processed')
  await fixture.render()
  const objects = await fixture.objectsOf(reference)
  assert.deepEqual(
    objects.map(({ kind }) => kind),
    ['original', 'peaks', 'playback'],
  )
  const { being_prepared, is_playable, codec, scanner } = objects[0]?.details ?? {}
  assert.deepEqual([being_prepared, is_playable, codec, scanner], [undefined, false, 'amr_nb', 'none'])
  for (const object of objects) await readWhole(await openObject(fixture.ctx, 'acme', reference, object))
})

test('formats without a built-in decoder are converted by ffmpeg', needsMedia, async () => {
  for (const file of ['gsm.wav', 'speex.ogg', 'h263-amr.3gp']) {
    const bytes = bytesOf(`formats/${file}`)
    const reference = await through(await sealRecording(phone, 'Call', bytes))
    await fixture.render()
    const objects = await fixture.objectsOf(reference)
    assert.deepEqual(
      objects.map(({ kind }) => kind),
      ['original', 'peaks', 'playback', ...(file.startsWith('h263') ? ['thumbnail'] : [])],
      file,
    )
  }
})

test('broken media is processed and kept unchanged', async () => {
  const broken = Buffer.concat([Buffer.from('#!AMR\n'), randomBytes(5000)])
  const reference = await through(await sealRecording(phone, 'Call', broken))
  await fixture.render()
  assert.equal((await fixture.state(reference))?.state, 'Processed')
  const original = (await fixture.objectsOf(reference)).find(({ kind }) => kind === 'original')
  assert.ok(original)
  assert.equal(original.details.being_prepared, undefined)
  assert.deepEqual(await readWhole(await openObject(fixture.ctx, 'acme', reference, original)), broken)
})

test('a rendition that fails for good leaves the original unchanged, with a reason', async () => {
  const reference = await through(await sealRecording(phone, 'Call', Buffer.from('#!AMR\nx')))
  const [job] = fixture.renditions.splice(0)
  assert.ok(job)
  await renderPayload.dead?.(fixture.ctx, job)
  const [original] = await fixture.objectsOf(reference)
  assert.deepEqual(original?.details, {
    is_playable: false,
    unplayable_reason: 'conversion_failed',
    scanner: 'none',
  })
  assert.equal((await fixture.state(reference))?.state, 'Processed')
  // A late attempt finds no waiting recording.
  await renderPayload.run(fixture.ctx, job, never)
  assert.equal((await fixture.objectsOf(reference)).length, 1)
})

test('two concurrent attempts at one rendition have one effect and leave no extra object', async () => {
  const amr = bytesOf(AMR)
  const reference = await through(await sealRecording(phone, 'Call', amr))
  const [job] = fixture.renditions.splice(0)
  assert.ok(job)
  const run = () => renderPayload.run(fixture.ctx, job, never)
  await Promise.all([run(), run()])
  const lying: string[] = []
  for await (const { key } of fixture.ctx.objects.list(`acme/${reference}/`)) lying.push(key)
  const known = (await fixture.objectsOf(reference)).map(({ object_key }) => object_key)
  assert.deepEqual(lying.toSorted(), known.toSorted())
  assert.equal(known.length, 3)
})
