import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getBytes, collect, inMemory, skip, sniffBytes, getSource, tools } from '../../testing/media-files.ts'
import { boxes } from './mp4.ts'
import { playability } from './playability.ts'
import { MediaError } from './port.ts'
import { probe } from './probe.ts'
import { renderAudio, renderImage, renderVideo } from './render.ts'

const open = async (file: string) => {
  const source = getSource(getBytes(`formats/${file}`))
  return { source, probed: await probe(tools!, source, sniffBytes(getBytes(`formats/${file}`))) }
}
const reprobe = (bytes: Buffer) => probe(tools!, getSource(bytes), sniffBytes(bytes))

test('converts audio that browsers cannot play to MP3 with a constant bit rate', { skip }, async () => {
  for (const file of ['amr-nb.amr', 'amr-wb.amr', 'amr-nb.3gp', 'gsm.wav', 'speex.ogg', 'stereo.wav']) {
    const { source, probed } = await open(file)
    const rendition = renderAudio(tools!, source, probed)
    const bytes = await collect(rendition.chunks)
    const made = await reprobe(bytes)
    assert.equal(rendition.content_type, 'audio/mpeg')
    assert.deepEqual(playability(made), { playable: true }, file)
    assert.equal(made.audio?.channels, probed.audio?.channels)
    assert.ok(Math.abs(made.duration! - probed.duration!) < 0.15, file)
    // A seek needs one request: bytes are proportional to seconds from the first byte, without a header
    // frame.
    const bytes_per_second = probed.audio?.channels === 2 ? 6000 : 4000
    assert.ok(Math.abs(bytes.length / bytes_per_second - made.duration!) < 0.08, file)
  }
})

test(
  'converts films that browsers cannot play to H.264 and AAC with an index for each track',
  { skip },
  async () => {
    for (const file of ['h263-amr.3gp', 'h264-amr.3gp', 'hevc-aac.mov', 'mpeg4-aac.mp4']) {
      const { source, probed } = await open(file)
      const bytes = await collect((await renderVideo(tools!, source, probed, inMemory)).chunks)
      const made = await reprobe(bytes)
      assert.deepEqual(playability(made), { playable: true }, file)
      assert.ok(Math.abs(made.duration! - probed.duration!) < 0.25, `${file}: ${made.duration}`)
      assert.deepEqual(
        [...boxes(bytes)].slice(0, 5).map((box) => box.type),
        ['ftyp', 'moov', 'sidx', 'sidx', 'moof'],
        file,
      )
    }
  },
)

test(
  'converts a picture to JPEG and refuses HEIC clearly when this ffmpeg cannot read it',
  { skip },
  async () => {
    const jpg = getBytes('formats/photo.jpg')
    const jpeg = await collect(renderImage(tools!, getSource(jpg), sniffBytes(jpg)).chunks)
    assert.equal(sniffBytes(jpeg).content_type, 'image/jpeg')
    const heic = getBytes('formats/photo.heic')
    try {
      assert.equal(
        sniffBytes(await collect(renderImage(tools!, getSource(heic), sniffBytes(heic)).chunks)).content_type,
        'image/jpeg',
      )
    } catch (error) {
      assert.ok(error instanceof MediaError && error.code === 'unsupported')
    }
  },
)

test('removes all metadata of the original from a rendition', { skip }, async () => {
  const { source, probed } = await open('mp3.mp3')
  const bytes = await collect(renderAudio(tools!, source, probed).chunks)
  assert.ok(!bytes.includes('ID3') && !bytes.includes('Lavf') && !bytes.includes('TAG'))
})

test('renders the available part of a truncated recording', { skip }, async () => {
  const whole = getBytes('calls/en-limit-order.amr')
  const half = getSource(whole.subarray(0, whole.length / 2))
  const probed = await probe(tools!, half, sniffBytes(whole))
  const made = await reprobe(await collect(renderAudio(tools!, half, probed).chunks))
  assert.ok(made.duration! > 19 && made.duration! < 22)
})

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
    const bytes = getBytes(`formats/${file}`)
    assert.equal(say(playability(await probe(tools!, getSource(bytes), sniffBytes(bytes)))), expected, file)
  }
})

test('decides from the file header where possible when ffprobe is missing', () => {
  const validate = (file: string) => say(playability(sniffBytes(getBytes(`formats/${file}`))))
  assert.equal(validate('amr-nb.amr'), 'audio audio_codec')
  assert.equal(validate('gsm.wav'), 'audio audio_codec')
  assert.equal(validate('opus.ogg'), 'plays')
  assert.equal(validate('aac.m4a'), 'plays')
  assert.equal(validate('amr-nb.3gp'), 'nothing codec_unknown')
  assert.equal(validate('photo.heic'), 'image image_format')
  assert.equal(validate('photo.png'), 'plays')
  assert.equal(validate('bundle.zip'), 'nothing not_media')
})
