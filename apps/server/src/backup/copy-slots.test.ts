import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { localFileKeys } from '../ports/keys/local-file.ts'
import { KeyUnknown } from '../ports/keys/port.ts'
import { getPlace } from '../ports/keys/slots/layout.ts'
import { copyKeys } from './backup.ts'
import { copySlots, restoreSlots } from './copy-slots.ts'

const at = (reference: string) => ({ client: 'c-1', purpose: 'dek', reference })
const atOnce = async () => undefined
const top = await mkdtemp(join(tmpdir(), 'custodia-copied-slots-'))
after(() => rm(top, { recursive: true, force: true }))

async function fresh() {
  const place = await mkdtemp(join(top, 'k-'))
  const [folder, vault, other] = ['keys', 'vault', 'other'].map((name) => join(place, name)) as [
    string,
    string,
    string,
  ]
  return { folder, vault, other, keys: localFileKeys({ folder }) }
}

test('a restore into an empty folder returns the newest copy without deleted keys', async () => {
  const { folder, vault, other, keys } = await fresh()
  const [kept, gone] = [randomBytes(32), randomBytes(32)]
  const [name, forgotten] = await Promise.all([keys.put(kept, at('kept')), keys.put(gone, at('gone'))])
  await copyKeys(folder, join(vault, '2026-01-01T00-00-00'), [])
  await copySlots(folder, vault, '2026-01-01T00-00-00')
  await keys.forget([forgotten])
  await keys.roll(atOnce)
  await keys.rotate()
  await keys.rewrapFiles()
  await keys.retire(1)
  const later = await keys.put(kept, at('later'))
  await copySlots(folder, vault, '2026-01-02T00-00-00')
  assert.deepEqual(await readdir(join(vault, 'slots')), ['2026-01-02T00-00-00'])
  assert.equal(
    (await copyKeys(folder, join(top, 'no-slots'), [])).some(({ path }) => path.includes('slots')),
    false,
  )

  await restoreSlots(vault, other)
  const restored = localFileKeys({ folder: other })
  assert.deepEqual(await restored.unwrap(name, at('kept')), kept)
  assert.deepEqual(await restored.unwrap(later, at('later')), kept)
  await assert.rejects(restored.unwrap(forgotten, at('gone')), KeyUnknown)
  await restored.roll(atOnce)
  assert.deepEqual(await restored.unwrap(name, at('kept')), kept)
})

test('a restore leaves an existing keystore unchanged and adds only missing segments', async () => {
  const { folder, vault, keys } = await fresh()
  const dek = randomBytes(32)
  const elsewhere = localFileKeys({ folder })
  const [name, other] = [await keys.put(dek, at('p')), await elsewhere.put(dek, at('q'))]
  await copySlots(folder, vault, '2026-01-01T00-00-00')
  await keys.forget([name])
  await keys.roll(atOnce)
  const before = await readdir(folder, { recursive: true })
  await restoreSlots(vault, folder)
  assert.deepEqual(await readdir(folder, { recursive: true }), before)
  await assert.rejects(localFileKeys({ folder }).unwrap(name, at('p')), KeyUnknown)

  await rm(join(folder, 'slots', `${getPlace(other).segment}.slots`))
  await assert.rejects(localFileKeys({ folder }).unwrap(other, at('q')), KeyUnknown)
  await restoreSlots(vault, folder)
  assert.deepEqual(await localFileKeys({ folder }).unwrap(other, at('q')), dek)
  await assert.rejects(localFileKeys({ folder }).unwrap(name, at('p')), KeyUnknown)
})

test('a copy of a keystore that lost slots is rejected, and the complete copy remains', async () => {
  const { folder, vault, other, keys } = await fresh()
  const dek = randomBytes(32)
  const name = await keys.put(dek, at('p'))
  await localFileKeys({ folder }).put(dek, at('q'))
  await copySlots(folder, vault, '2026-01-01T00-00-00')
  await rm(join(folder, 'slots', `${getPlace(name).segment}.slots`))
  await assert.rejects(copySlots(folder, vault, '2026-01-02T00-00-00'), /restore them from there/)
  await restoreSlots(vault, other)
  assert.deepEqual(await localFileKeys({ folder: other }).unwrap(name, at('p')), dek)
})

test('a copy is complete although key versions begin and end during copying', async () => {
  const { folder, vault, other, keys } = await fresh()
  const deks = Array.from({ length: 60 }, () => randomBytes(32))
  const names = await Promise.all(deks.map((dek, i) => keys.put(dek, at(`${i}`))))
  for (let round = 0; round < 4; round++) {
    const rolling = localFileKeys({ folder }).roll(atOnce)
    await copySlots(folder, vault, `2026-01-01T00-00-0${round}`)
    await rolling
    await rm(other, { recursive: true, force: true })
    await restoreSlots(vault, other)
    const restored = localFileKeys({ folder: other })
    for (const [i, name] of names.entries())
      assert.deepEqual(await restored.unwrap(name, at(`${i}`)), deks[i], `round ${round}`)
  }
})

test('a restore returns signing keys, and only the public key of a retired signing key', async () => {
  const { folder, vault, other, keys } = await fresh()
  await keys.put(randomBytes(32), at('p'))
  const { key_id: first } = await keys.sign(Buffer.from('before'))
  await copyKeys(folder, join(vault, '2026-01-01T00-00-00'), [])
  await copySlots(folder, vault, '2026-01-01T00-00-00')
  const second = await keys.rotateSigning()
  // A former key became shorter, which is no loss.
  await copySlots(folder, vault, '2026-01-02T00-00-00')
  await restoreSlots(vault, other)
  const restored = localFileKeys({ folder: other })
  assert.deepEqual(await restored.verificationKeys(), await keys.verificationKeys())
  assert.equal((await restored.sign(Buffer.from('after'))).key_id, second)
  const former = JSON.parse(await readFile(join(other, 'signing', '000001.json'), 'utf8'))
  assert.deepEqual([former.key_id, former.sealed], [first, undefined])
  // Keys that are there stay as they are.
  const third = await keys.rotateSigning()
  await restoreSlots(vault, folder)
  assert.equal((await localFileKeys({ folder }).sign(Buffer.from('later'))).key_id, third)
})
