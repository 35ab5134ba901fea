import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it, test } from 'node:test'
import { MovedTo } from '../../jobs/fair.ts'
import { openQueue } from '../../jobs/queue.ts'
import { getCost, detectMedia, MediaError } from '../../ports/media/index.ts'
import { ingestFixture, type SealedRecording, sealRecording } from '../../testing/ingest-fixture.ts'
import { getBytes, skip, tools } from '../../testing/media-files.ts'
import { until } from '../../testing/waits.ts'
import { openObject, readWhole } from '../data-objects.ts'
import { BUDGET, LONG_LANE, RenderBudget, SHORT, SHORT_LANE } from './derive-media.ts'
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
  const reference = await through(await sealRecording(phone, 'Call', getBytes(AMR)))
  const [waiting, ...none] = await fixture.getObjects(reference)
  assert.deepEqual([waiting?.details.being_prepared, none], [true, []])
  assert.equal((await fixture.state(reference))?.state, 'Processed')
  await fixture.render()
  const objects = await fixture.getObjects(reference)
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
    const bytes = getBytes(`formats/${file}`)
    const reference = await through(await sealRecording(phone, 'Call', bytes))
    await fixture.render()
    const objects = await fixture.getObjects(reference)
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
  const original = (await fixture.getObjects(reference)).find(({ kind }) => kind === 'original')
  assert.ok(original)
  assert.equal(original.details.being_prepared, undefined)
  assert.deepEqual(await readWhole(await openObject(fixture.ctx, 'acme', reference, original)), broken)
})

test('a rendition that fails for good leaves the original unchanged, with a reason', async () => {
  const reference = await through(await sealRecording(phone, 'Call', Buffer.from('#!AMR\nx')))
  const [job] = fixture.renditions.splice(0)
  assert.ok(job)
  await renderPayload.dead?.(fixture.ctx, job)
  const [original] = await fixture.getObjects(reference)
  assert.deepEqual(original?.details, {
    is_playable: false,
    unplayable_reason: 'conversion_failed',
    scanner: 'none',
  })
  assert.equal((await fixture.state(reference))?.state, 'Processed')
  // A late attempt finds no waiting recording.
  await renderPayload.run(fixture.ctx, job, never)
  assert.equal((await fixture.getObjects(reference)).length, 1)
})

test('two concurrent attempts at one rendition have one effect and leave no extra object', async () => {
  const amr = getBytes(AMR)
  const reference = await through(await sealRecording(phone, 'Call', amr))
  const [job] = fixture.renditions.splice(0)
  assert.ok(job)
  const run = () => renderPayload.run(fixture.ctx, job, never)
  await Promise.all([run(), run()])
  const lying: string[] = []
  for await (const { key } of fixture.ctx.objects.list(`acme/${reference}/`)) lying.push(key)
  const known = (await fixture.getObjects(reference)).map(({ object_key }) => object_key)
  assert.deepEqual(lying.toSorted(), known.toSorted())
  assert.equal(known.length, 3)
})

const short = readFileSync(
  join(import.meta.dirname, '../../../../../tools/simulator/media/formats/amr-nb.amr'),
)
/** Half an hour of silence at a thousand samples a second: long, but read in no time. */
const long = wav(1000, Buffer.alloc(1_800_000, 0x80))

function wav(rate: number, samples: Buffer): Buffer {
  const head = Buffer.alloc(44)
  head.write('RIFF', 0)
  head.writeUInt32LE(36 + samples.length, 4)
  head.write('WAVEfmt ', 8)
  head.writeUInt32LE(16, 16)
  // PCM of one channel, eight bits.
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(rate, 24)
  head.writeUInt32LE(rate, 28)
  head.writeUInt16LE(1, 32)
  head.writeUInt16LE(8, 34)
  head.write('data', 36)
  head.writeUInt32LE(samples.length, 40)
  return Buffer.concat([head, samples])
}

describe('the render budget', () => {
  it('estimates the cost from the media properties, or from the file size', () => {
    const film = { codec: 'mjpeg', width: 1920, height: 1080, frames: 108_000 }
    const probe = { content_type: 'video/quicktime', container: 'mp4', duration: 3600 } as const
    const cost = getCost(1e9, { ...probe, video: film }, true)
    assert.ok(cost > BUDGET * 0.9 && cost <= BUDGET, `an hour of full HD: ${cost}`)
    assert.ok(
      getCost(1e9, { ...probe, duration: 86_400, video: { ...film, frames: 2_592_000 } }, true) > BUDGET,
    )
    // Only its waveform is drawn.
    assert.equal(getCost(1e9, { ...probe, video: film }, false), 0)
    const { frames: _, ...unknown } = film
    assert.ok(getCost(1e9, { ...probe, video: unknown }, true) > BUDGET)
    const sound = {
      content_type: 'audio/amr',
      container: 'amr',
      audio: { codec: 'amr_nb', channels: 1, sample_rate: 8000 },
    } as const
    assert.ok(getCost(1600 * 300, sound, false) < SHORT, 'five minutes of AMR')
    assert.ok(getCost(1600 * 3600, sound, false) > SHORT, 'an hour of AMR')
    assert.ok(getCost(2 ** 40, sound, false) < BUDGET, 'sound is cut at a day')
  })

  it('refuses costs above the budget, moves long jobs once, and corrects a wrong estimate', () => {
    const refused = (error: unknown) => error instanceof MediaError && error.code === 'limit'
    for (const lane of [SHORT_LANE, LONG_LANE])
      assert.throws(() => new RenderBudget(lane).spend(BUDGET + 1), refused)
    assert.throws(
      () => new RenderBudget(SHORT_LANE).spend(SHORT + 1),
      (error) => error instanceof MovedTo && error.place.lane === LONG_LANE && error.place.cost === SHORT + 1,
    )
    new RenderBudget(LONG_LANE).spend(BUDGET)
    const limit = new MediaError('limit', 'too slow')
    const budget = new RenderBudget(SHORT_LANE)
    // Refused before the start, so no estimate was wrong.
    budget.reconsider(limit)
    budget.spend(SHORT)
    budget.reconsider(new MediaError('corrupt', 'damaged'))
    assert.throws(() => budget.reconsider(limit), MovedTo)
    const last = new RenderBudget(LONG_LANE)
    last.spend(SHORT)
    last.reconsider(limit)
  })
})

describe('long renditions', () => {
  const deliver = async (client: 'acme' | 'globex', data: Buffer) => {
    const phone = await fixture.phone(client)
    const reference = await phone.deliver(await sealRecording(phone, 'Video', data))
    await fixture.work()
    const [job] = fixture.renditions.splice(0)
    assert.ok(job)
    return { job, reference }
  }
  const getDetails = async (reference: string) =>
    fixture.sql<{ kind: string; details: Record<string, unknown> }>(
      `select o.kind, o.details from payload_objects o join payloads p using (client_id, payload_id)
       where payload_reference = $1 order by o.kind`,
      [reference],
    )

  it('do not delay short ones of another client, and move once to the long lane', async () => {
    const { job: hog, reference: hogged } = await deliver('acme', long)
    const { job: calm, reference } = await deliver('globex', short)
    const ran: string[] = []
    const gate = Promise.withResolvers<void>()
    // The long one runs until the short one has ended.
    const kind: typeof renderPayload = {
      ...renderPayload,
      async run(ctx, input, signal, lane) {
        ran.push(`${input.client_id === hog.client_id ? 'acme' : 'globex'} ${lane}`)
        if (lane === LONG_LANE) await gate.promise
        return renderPayload.run(ctx, input, signal, lane)
      },
    }
    const queue = await openQueue(fixture.ctx.db, [kind], () => undefined)
    const isEmpty = (rows: unknown[]) => rows.length === 0
    const waiting = (client_id: number) => () =>
      fixture.sql<{ lane: string; cost: number; attempts: number }>(
        'select lane, cost, attempts from client_tasks where client_id = $1',
        [client_id],
      )
    try {
      await queue.work({ ...fixture.ctx, now: () => Math.floor(Date.now() / 1000) }, [kind])
      const send = (job: typeof hog) => fixture.ctx.db.globalWrite((tx) => queue.send(tx, kind, job))
      await send(hog)
      const [moved] = await until(
        'the long one to be under way in its own lane',
        waiting(hog.client_id),
        ([task]) => task?.lane === LONG_LANE && task.attempts === 1,
      )
      assert.ok(moved && moved.cost > SHORT && moved.cost < BUDGET, `${moved?.cost}`)
      await send(calm)
      await until('the short rendition', waiting(calm.client_id), isEmpty)
      assert.equal((await waiting(hog.client_id)()).length, 1)
      gate.resolve()
      await until('the long rendition', waiting(hog.client_id), isEmpty)
    } finally {
      gate.resolve()
      await queue.stop()
    }
    assert.deepEqual(ran, [`acme ${SHORT_LANE}`, `acme ${LONG_LANE}`, `globex ${SHORT_LANE}`])
    assert.deepEqual(
      (await getDetails(reference)).map((object) => object.kind),
      ['original', 'peaks', 'playback'],
    )
    const [original, peaks] = await getDetails(hogged)
    assert.deepEqual([original?.details.being_prepared, peaks?.kind], [undefined, 'peaks'])
  })

  it(
    'are refused above the budget before ffmpeg starts, and the payload is kept with a reason',
    { skip },
    async () => {
      // Three pictures over two days that claim thirty a second. ffmpeg writes their duration only into a
      // file.
      const folder = mkdtempSync(join(tmpdir(), 'custodia-film-'))
      const file = join(folder, 'film.mkv')
      const [source, apart] = ['color=s=1280x720:r=30:d=0.1', 'setts=ts=N*86400000:time_base=1/1000']
      execFileSync(tools!.ffmpeg, [
        '-v',
        'error',
        '-f',
        'lavfi',
        '-i',
        source,
        '-c:v',
        'mjpeg',
        '-bsf:v',
        apart,
        file,
      ])
      const film = readFileSync(file)
      rmSync(folder, { recursive: true })
      const { job, reference } = await deliver('acme', film)
      await renderPayload.run(fixture.ctx, job, new AbortController().signal, SHORT_LANE)
      const [original, ...none] = await getDetails(reference)
      const { being_prepared, is_playable, unplayable_reason } = original?.details ?? {}
      assert.deepEqual(
        [being_prepared, is_playable, unplayable_reason, none],
        [undefined, false, 'too_large_to_convert', []],
      )
      assert.equal((await fixture.state(reference))?.state, 'Processed')
    },
  )
})
