import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bytesOf, media_files, skip, sniffOf, sourceOf, tools } from '../../testing/media-files.ts'
import { probe } from './probe.ts'

test('detects the types and durations that the manifest states', { skip }, async () => {
  for (const { file, content_type, duration } of media_files) {
    if (duration === undefined) continue
    const bytes = bytesOf(file)
    const probed = await probe(tools!, sourceOf(bytes), sniffOf(bytes))
    assert.equal(probed.content_type, content_type, file)
    // The length of raw AMR and ADTS is estimated from their bit rate; a film lasts a little longer than its sound.
    assert.ok(
      Math.abs(probed.duration! - duration) < 0.25 + 0.06 * duration,
      `${file}: ${probed.duration} against ${duration}`,
    )
  }
})

test('reports dimensions and channels', { skip }, async () => {
  const ask = (file: string) => probe(tools!, sourceOf(bytesOf(file)), sniffOf(bytesOf(file)))
  assert.deepEqual((await ask('formats/stereo.wav')).audio, {
    codec: 'pcm_s16le',
    channels: 2,
    sample_rate: 8000,
  })
  const film = await ask('formats/h264-aac-moov-last.mp4')
  assert.deepEqual(film.video, {
    codec: 'h264',
    width: 176,
    height: 144,
    pixel_format: 'yuv420p',
    frames: 24,
  })
  const photo = await ask('photos/whiteboard.jpg')
  assert.deepEqual([photo.video?.width, photo.video?.height, photo.duration], [1280, 960, undefined])
})
