import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { detectMedia } from '../../ports/media/index.ts'
import { ingestFixture, sealRecording } from '../../testing/ingest-fixture.ts'
import { bytesOf } from '../../testing/media-files.ts'
import { openObject, readWhole, THUMBNAIL } from '../data-objects.ts'
import { drawThumbnails } from './draw-thumbnails.ts'

const media = await detectMedia({ ffmpeg: process.env.FFMPEG_PATH, ffprobe: process.env.FFPROBE_PATH })
const needsMedia = { skip: media === undefined && process.env.CI !== 'true' && 'ffmpeg is not installed' }
const fixture = await ingestFixture({ media })
after(() => fixture.close())
const phone = await fixture.phone('acme')

test(
  'the backfill draws thumbnails of old photos and videos, and tries broken ones once',
  needsMedia,
  async () => {
    const deliver = async (type: 'Photo' | 'Video', bytes: Buffer) =>
      phone.deliver(await sealRecording(phone, type, bytes))
    const photo = await deliver('Photo', bytesOf('photos/whiteboard.jpg'))
    const film = await deliver('Video', bytesOf('formats/h264-aac.mp4'))
    const broken = await deliver(
      'Photo',
      Buffer.concat([Buffer.from('\xff\xd8\xff', 'latin1'), Buffer.alloc(500)]),
    )
    await fixture.work()
    await fixture.render()
    // As they were stored before there were any.
    await fixture.ctx.db.owner.query(`delete from payload_objects where kind = 'thumbnail'`)
    await drawThumbnails.run(fixture.ctx, {}, new AbortController().signal)
    for (const reference of [photo, film]) {
      const drawn = (await fixture.objectsOf(reference)).find(({ kind }) => kind === THUMBNAIL)
      assert.ok(drawn)
      const jpeg = await readWhole(await openObject(fixture.ctx, 'acme', reference, drawn))
      assert.equal(jpeg.subarray(0, 2).toString('hex'), 'ffd8')
    }
    const [original, ...none] = await fixture.objectsOf(broken)
    assert.deepEqual([original?.details.has_no_thumbnail, none], [true, []])
    // Again: nothing is left to be done, and nothing is made twice.
    await drawThumbnails.run(fixture.ctx, {}, new AbortController().signal)
    assert.equal((await fixture.objectsOf(photo)).filter(({ kind }) => kind === THUMBNAIL).length, 1)
  },
)
