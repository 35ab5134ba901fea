import assert from 'node:assert/strict'
import { test } from 'node:test'
import { distanceBetween } from './distance.ts'

test('distances between positions follow the earth’s surface', () => {
  const london = { latitude: 51.5074, longitude: -0.1278 }
  assert.equal(distanceBetween(london, london), 0)
  const paris = distanceBetween(london, { latitude: 48.8566, longitude: 2.3522 })
  assert.ok(Math.abs(paris - 343_500) < 1500, String(paris))
  // Over the date line, and to the other side of the earth.
  const near = distanceBetween({ latitude: 0, longitude: 179.999 }, { latitude: 0, longitude: -179.999 })
  assert.ok(Math.abs(near - 222) < 2, String(near))
  const far = distanceBetween({ latitude: 90, longitude: 0 }, { latitude: -90, longitude: 0 })
  assert.ok(Math.abs(far - Math.PI * 6_371_009) < 1, String(far))
})
