import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bytesOf, collect, skip, sniffOf, sourceOf, tools } from '../../testing/media-files.ts'
import { gif, png } from './bombs.test-support.ts'
import { exifJpeg } from '@custodia/simulator'
import { inspectPicture } from './inspect-picture.ts'
import { MediaError } from './port.ts'
import { renderThumbnail } from './thumbnail.ts'

const draw = async (bytes: Buffer) =>
  collect((await renderThumbnail(tools!, sourceOf(bytes), sniffOf(bytes))).chunks)
const sizeOf = async (jpeg: Buffer) => {
  const picture = await inspectPicture(sourceOf(jpeg), sniffOf(jpeg).container)
  assert.ok(picture)
  return picture
}

test('draws small pictures of photos and films without their metadata', { skip }, async () => {
  for (const file of [
    'formats/photo.jpg',
    'formats/photo.png',
    'formats/photo.gif',
    'formats/photo.webp',
    'photos/whiteboard.jpg',
    'formats/h264-aac-moov-last.mp4',
    'formats/hevc-aac.mov',
    'formats/vp9-opus.webm',
    'formats/h263-amr.3gp',
  ]) {
    const jpeg = await draw(bytesOf(file))
    const { width, height } = await sizeOf(jpeg)
    assert.ok(width > 1 && height > 1 && Math.max(width, height) <= 400, `${file}: ${width} × ${height}`)
    assert.ok(jpeg.length < 100_000, `${file}: ${jpeg.length} bytes`)
    assert.ok(!jpeg.includes('Exif') && !jpeg.includes('Lavc'), file)
  }
})

test('turns the thumbnail of a photo according to its orientation', { skip }, async () => {
  const photo = bytesOf('photos/whiteboard.jpg')
  const { width, height } = await sizeOf(await draw(photo))
  assert.ok(width > height)
  for (const [orientation, is_turned] of [
    [1, false],
    [3, false],
    [6, true],
    [8, true],
  ] as const) {
    const turned = await sizeOf(await draw(exifJpeg({ orientation }, 'MM', photo)))
    assert.equal(turned.height > turned.width, is_turned, `orientation ${orientation}`)
  }
})

test('limits or refuses the thumbnail of a corrupt or oversized picture', { skip }, async () => {
  const photo = bytesOf('photos/whiteboard.jpg')
  const noise = Buffer.from(photo)
  noise.fill(0x5a, 400)
  for (const [name, bytes] of Object.entries({
    'a PNG of 49 megapixels': png(7000),
    'a PNG of a gigapixel': png(40_000, 10),
    'a GIF of many pictures': gif(9000),
    'a cut JPEG': photo.subarray(0, 300),
    'a JPEG of noise': noise,
  })) {
    await draw(bytes).then(
      (jpeg) => assert.ok(jpeg.length < 256 * 1024, name),
      (error: unknown) => assert.ok(error instanceof MediaError, `${name}: ${String(error)}`),
    )
  }
})
