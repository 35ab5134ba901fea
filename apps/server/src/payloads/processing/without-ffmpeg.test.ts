import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { after, test } from 'node:test'
import { Peaks } from '@custodia/contract'
import { detectMedia, sniff } from '../../ports/media/index.ts'
import { ingestFixture, sealRecording } from '../../testing/ingest-fixture.ts'
import { openObject, readWhole, type StoredObject } from '../data-objects.ts'
import { findDataSubjects } from '../store.ts'

const folder = join(import.meta.dirname, '../../../../../tools/simulator/media')
const files = (kind: string) => {
  const formats = new Map(readdirSync(join(folder, kind)).map((file) => [extname(file), `${kind}/${file}`]))
  return [...formats.values()]
}

// As on a machine with only Node and npm: it finds the same tools as `open-server.ts`.
process.env.PATH = ''
const media = await detectMedia()
assert.equal(media, undefined)
const fixture = await ingestFixture({ media })
after(() => fixture.close())
const phone = await fixture.phone('acme')

/** Delivers, processes and prepares a recording. */
async function through(file: string) {
  const recording = await sealRecording(phone, 'Call', readFileSync(join(folder, file)))
  const reference = await phone.deliver(recording)
  await fixture.work()
  await fixture.render()
  const { client_id } = fixture.accounts.acme
  const found = await fixture.ctx.db.read(client_id, (q) => findDataSubjects(q, [reference]))
  const objects = found.get(reference)?.objects ?? []
  const named = (kind: string) => objects.find((object) => object.kind === kind)
  const getBytes = async (object: StoredObject | undefined) =>
    object && readWhole(await openObject(fixture.ctx, 'acme', reference, object))
  return { details: named('original')?.details, getBytes, named }
}

test('every demo call and interview is playable, and all but m4a files have a waveform', async () => {
  for (const file of [...files('calls'), ...files('interviews')]) {
    const { details, named, getBytes } = await through(file)
    assert.equal(details?.being_prepared, undefined, file)
    const rendition = await getBytes(named('playback'))
    const is_amr = /\.(amr|3gp)$/.test(file)
    assert.deepEqual([details?.is_playable, rendition !== undefined], [!is_amr, is_amr], file)
    if (rendition) assert.equal(sniff(rendition).content_type, 'audio/mpeg', file)
    assert.ok((details?.duration ?? 0) > 10, file)
    const peaks = await getBytes(named('peaks'))
    assert.equal(peaks === undefined, file.endsWith('.m4a'), file)
    if (peaks) assert.ok(Peaks.parse(JSON.parse(peaks.toString())).peaks.length > 2000, file)
  }
})

test('formats that need ffmpeg report no_transcoder, and browser formats are playable', async () => {
  const converted = ['hevc-aac.mov', 'gsm.wav', 'speex.ogg']
  for (const file of converted) {
    const { details } = await through(`formats/${file}`)
    assert.deepEqual([details?.is_playable, details?.unplayable_reason], [false, 'no_transcoder'], file)
  }
  for (const file of ['h264-aac.3gp', 'vp9-opus.webm', 'flac.flac'])
    assert.equal((await through(`formats/${file}`)).details?.is_playable, true, file)
})

test('a recording with damaged content reports damaged_media', async () => {
  const bytes = readFileSync(join(folder, 'formats/h264-aac-moov-last.mp4')).subarray(0, 6000)
  const reference = await phone.deliver(await sealRecording(phone, 'Call', bytes))
  await fixture.work()
  await fixture.render()
  const { client_id } = fixture.accounts.acme
  const found = await fixture.ctx.db.read(client_id, (q) => findDataSubjects(q, [reference]))
  assert.equal(found.get(reference)?.objects[0]?.details.unplayable_reason, 'damaged_media')
})
