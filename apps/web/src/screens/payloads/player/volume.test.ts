import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nextVolume, storedVolume, storeVolume } from './volume.ts'

test('the volume is stored, and an invalid value falls back to full', () => {
  const stored = new Map<string, string>()
  const storage = {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => void stored.set(key, value),
  }
  assert.equal(storedVolume(storage), 1)
  for (const volume of [0, 0.3, 1]) {
    storeVolume(storage, volume)
    assert.equal(storedVolume(storage), volume)
  }
  for (const broken of ['', 'loud', '-1', '1.1', 'NaN'])
    assert.equal(storedVolume({ getItem: () => broken }), 1, broken)
})

test('volume steps stop at full and at silent', () => {
  assert.deepEqual([nextVolume(0.3, 0.1), nextVolume(0.95, 0.1), nextVolume(0.05, -0.1)], [0.4, 1, 0])
})
