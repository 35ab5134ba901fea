import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seeded } from '../../testing/seeded.ts'
import { readExif } from './exif.ts'
import { exifJpeg } from '@custodia/simulator'

const FACTS = {
  orientation: 6,
  location: { latitude: -23.5505, longitude: -46.633333 },
  taken_at: '2026-11-02T09:00:00',
}

test('reads location, time and orientation of a photo in either byte order', () => {
  for (const order of ['II', 'MM'] as const) assert.deepEqual(readExif(exifJpeg(FACTS, order)), FACTS)
  const north = { location: { latitude: 51.5, longitude: 0.25 } }
  assert.deepEqual(readExif(exifJpeg(north, 'MM')), north)
})

test('leaves out impossible values', () => {
  assert.deepEqual(readExif(exifJpeg({ orientation: 9 }, 'II')), {})
  assert.deepEqual(readExif(exifJpeg({ location: { latitude: 91, longitude: 1 } }, 'II')), {})
  assert.deepEqual(readExif(exifJpeg({ taken_at: '0000-00-00T00:00:00' }, 'II')), {})
  assert.deepEqual(readExif(Buffer.from('no photo')), {})
})

test('reads truncated and altered headers without failing', () => {
  const whole = exifJpeg(FACTS, 'II')
  for (let length = 0; length < whole.length; length++) readExif(whole.subarray(0, length))
  const random = seeded(7)
  for (let round = 0; round < 5000; round++) {
    const altered = Buffer.from(whole)
    for (let i = 0; i < 4; i++)
      altered[4 + Math.floor(random() * (altered.length - 4))] = Math.floor(random() * 256)
    readExif(altered)
  }
})
