import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { bytesOf, media_files, sniffOf } from '../../testing/media-files.ts'
import { CONTAINERS } from './port.ts'
import { sniff } from './sniff.ts'

test('detects the type of every file from its bytes, not its name', () => {
  for (const { file, content_type } of media_files) {
    const sniffed = sniffOf(bytesOf(file))
    // Only ffprobe knows whether a 3GP contains pictures.
    const expected = content_type === 'audio/3gpp' ? 'video/3gpp' : content_type
    assert.equal(sniffed.content_type, expected, file)
  }
})

test('detects the audio codec from the first bytes where possible', () => {
  const codec = (file: string) => sniffOf(bytesOf(`formats/${file}`)).codec
  assert.equal(codec('amr-nb.amr'), 'amr_nb')
  assert.equal(codec('amr-wb.amr'), 'amr_wb')
  assert.equal(codec('gsm.wav'), 'gsm_ms')
  assert.equal(codec('mulaw.wav'), 'pcm_mulaw')
  assert.equal(codec('opus.ogg'), 'opus')
  assert.equal(codec('speex.ogg'), 'speex')
  assert.equal(codec('h264-amr.3gp'), undefined)
})

test('treats playlists and scripts as text and JSON as JSON', () => {
  const container = (text: string) => sniff(Buffer.from(text)).container
  assert.equal(container('#EXTM3U\n#EXTINF:1,\nhttp://127.0.0.1/x.ts\n'), 'text')
  assert.equal(container('ffconcat version 1.0\nfile /etc/passwd\n'), 'text')
  assert.equal(container("file 'x.wav'\n"), 'text')
  assert.equal(container('<MPD><BaseURL>http://127.0.0.1/</BaseURL></MPD>'), 'text')
  assert.equal(container('{"bundle_version": 1}'), 'json')
  assert.equal(container('[1, 2]'), 'json')
  assert.equal(container('[draft] hello'), 'text')
  assert.equal(container('Olá, ação'), 'text')
})

test('accepts text cut within a character and rejects control characters', () => {
  assert.equal(sniff(Buffer.from('ação').subarray(0, 3)).container, 'text')
  assert.equal(sniff(Buffer.from('a\0b')).container, 'unknown')
  assert.equal(sniff(Buffer.alloc(0)).container, 'unknown')
})

test('returns a known container for any bytes, also after a valid signature', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) =>
      CONTAINERS.includes(sniff(Buffer.from(bytes)).container),
    ),
  )
  const magic = ['#!AMR\n', 'ftyp', 'RIFF', 'OggS', 'fLaC', 'ID3', '\x1a\x45\xdf\xa3', '\xff\xfb', '\xff\xf1']
  const near = fc.tuple(fc.constantFrom(...magic), fc.uint8Array({ maxLength: 64 }))
  fc.assert(
    fc.property(near, ([head, rest]) => {
      const bytes = Buffer.concat([Buffer.from(head, 'latin1'), rest])
      return CONTAINERS.includes(sniff(bytes).container)
    }),
  )
})
