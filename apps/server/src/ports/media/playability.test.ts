import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bytesOf, skip, sniffOf, sourceOf, tools } from '../../testing/media-files.ts'
import { playability } from './playability.ts'
import { probe } from './probe.ts'

/** The result of opening each file in Chromium. */
const SEEN: Record<string, string> = {
  'amr-nb.amr': 'audio audio_codec',
  'amr-wb.amr': 'audio audio_codec',
  'amr-nb.3gp': 'audio audio_codec',
  'gsm.wav': 'audio audio_codec',
  'speex.ogg': 'audio audio_codec',
  'h263-amr.3gp': 'video video_codec',
  'h264-amr.3gp': 'video audio_codec',
  'hevc-aac.mov': 'video video_codec',
  'mpeg4-aac.mp4': 'video video_codec',
  'h264-aac.3gp': 'plays',
  'h264-aac.mp4': 'plays',
  'h264-aac-moov-last.mp4': 'plays',
  'vp9-opus.webm': 'plays',
  'vp8-vorbis.webm': 'plays',
  'aac.m4a': 'plays',
  'aac.aac': 'plays',
  'mp3.mp3': 'plays',
  'mp3-no-id3.mp3': 'plays',
  'opus.ogg': 'plays',
  'flac.flac': 'plays',
  'pcm.wav': 'plays',
  'mulaw.wav': 'plays',
  'stereo.wav': 'plays',
  'photo.jpg': 'plays',
  'photo.webp': 'plays',
}
const say = (answer: ReturnType<typeof playability>) =>
  answer.playable ? 'plays' : `${answer.needs ?? 'nothing'} ${answer.why}`

test('predicts for probed files whether browsers can play them', { skip }, async () => {
  for (const [file, expected] of Object.entries(SEEN)) {
    const bytes = bytesOf(`formats/${file}`)
    assert.equal(say(playability(await probe(tools!, sourceOf(bytes), sniffOf(bytes)))), expected, file)
  }
})

test('decides from the file header where possible when ffprobe is missing', () => {
  const validate = (file: string) => say(playability(sniffOf(bytesOf(`formats/${file}`))))
  assert.equal(validate('amr-nb.amr'), 'audio audio_codec')
  assert.equal(validate('gsm.wav'), 'audio audio_codec')
  assert.equal(validate('opus.ogg'), 'plays')
  assert.equal(validate('aac.m4a'), 'plays')
  assert.equal(validate('amr-nb.3gp'), 'nothing codec_unknown')
  assert.equal(validate('photo.heic'), 'image image_format')
  assert.equal(validate('photo.png'), 'plays')
  assert.equal(validate('bundle.zip'), 'nothing not_media')
})
