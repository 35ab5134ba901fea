import assert from 'node:assert/strict'
import { createPublicKey, randomBytes, randomUUID, verify } from 'node:crypto'
import { describe, test } from 'node:test'
import { wrapDek } from '@custodia/envelope'
import { CiphertextRefused, type KeyProvider, KeyUnknown } from './port.ts'

/** A provider, and another over the same keys. */
type Make = () => Promise<{ keys: KeyProvider; reopen: () => KeyProvider }>

const context = { client: 'c-1', purpose: 'dek', reference: 'p-1' }

/**
 * The tests of every key provider. `reopen` makes another provider over the same keys, like another process.
 */
export function conformance(name: string, options: { skip: string | false }, make: Make) {
  describe(`key provider: ${name}`, options, () => {
    wrapsKeys(make)
    storesDataKeys(make)
    keepsDeviceKeys(make)
    keepsSecretsAndSigns(make)
  })
}

/** Keys wrapped for a place. */
function wrapsKeys(make: Make): void {
  test('unwraps a wrapped key, in this and in another process', async () => {
    const { keys, reopen } = await make()
    for (const size of [1, 32, 4000]) {
      const secret = randomBytes(size)
      const blob = await keys.wrap(secret, context)
      assert.ok(!blob.includes(secret) || size === 1)
      assert.deepEqual(await keys.unwrap(blob, context), secret)
      assert.deepEqual(await reopen().unwrap(blob, context), secret)
    }
  })

  test('wraps the same key differently each time', async () => {
    const { keys } = await make()
    const secret = randomBytes(32)
    assert.notDeepEqual(await keys.wrap(secret, context), await keys.wrap(secret, context))
  })

  test('refuses a wrong context and any altered byte', async () => {
    const { keys } = await make()
    const blob = await keys.wrap(randomBytes(32), context)
    for (const other of [
      { ...context, client: 'c-2' },
      { ...context, purpose: 'peaks' },
      { ...context, reference: 'p-2' },
      { client: 'c-1dek', purpose: '', reference: 'p-1' },
      { client: 'c-1","dek', purpose: '', reference: 'p-1' },
    ]) {
      await assert.rejects(keys.unwrap(blob, other), CiphertextRefused)
    }
    const refusal = (error: unknown) => error instanceof CiphertextRefused || error instanceof KeyUnknown
    for (let at = 0; at < blob.length; at++) {
      const altered = Buffer.from(blob)
      altered.writeUInt8(altered.readUInt8(at) ^ 1, at)
      await assert.rejects(keys.unwrap(altered, context), refusal, `byte ${at}`)
    }
    for (const length of [0, 1, 4, 5, blob.length - 1]) {
      await assert.rejects(keys.unwrap(blob.subarray(0, length), context), refusal, `length ${length}`)
    }
  })
}

/** Data keys in slots, which can be destroyed. */
function storesDataKeys(make: Make): void {
  test('stores data keys that can be destroyed, in this and in another process', async () => {
    const { keys, reopen } = await make()
    const [kept, gone] = [randomBytes(32), randomBytes(32)]
    const [name, other] = await Promise.all([keys.put(kept, context), keys.put(gone, context)])
    for (const one of [keys, reopen()]) {
      assert.deepEqual(await one.unwrap(name, context), kept)
      assert.deepEqual(await one.unwrap(other, context), gone)
      await assert.rejects(one.unwrap(name, { ...context, reference: 'p-2' }), CiphertextRefused)
    }
    const elsewhere = reopen()
    const third = await elsewhere.put(kept, context)
    assert.equal(await keys.forget([other, third]), 2)
    assert.equal(await keys.forget([other, await keys.wrap(kept, context)]), 1)
    for (const one of [keys, elsewhere, reopen()]) {
      await assert.rejects(one.unwrap(other, context), KeyUnknown)
      await assert.rejects(one.unwrap(third, context), KeyUnknown)
      assert.deepEqual(await one.unwrap(name, context), kept)
    }
    await assert.rejects(keys.put(randomBytes(31), context), RangeError)
  })

  test('opens a data key only by its own unaltered name', async () => {
    const { keys } = await make()
    const secret = randomBytes(32)
    const [name] = await Promise.all([
      keys.put(secret, context),
      keys.put(randomBytes(32), { ...context, reference: 'p-2' }),
    ])
    const refusal = (error: unknown) => error instanceof CiphertextRefused || error instanceof KeyUnknown
    for (let at = 0; at < name.length; at++) {
      const altered = Buffer.from(name)
      altered.writeUInt8(altered.readUInt8(at) ^ 1, at)
      await assert.rejects(keys.unwrap(altered, context), refusal, `byte ${at}`)
    }
    assert.ok(!name.includes(secret.subarray(0, 4)))
  })
}

function keepsDeviceKeys(make: Make): void {
  test('creates RSA 3072 device keys that unwrap in every process', async () => {
    const { keys, reopen } = await make()
    const { key_id, public_key_pem } = await keys.createKek('c-1')
    const { asymmetricKeyType, asymmetricKeyDetails } = createPublicKey(public_key_pem)
    assert.deepEqual([asymmetricKeyType, asymmetricKeyDetails?.modulusLength], ['rsa', 3072])
    const dek = randomBytes(32)
    const encrypted_dek = wrapDek(public_key_pem, dek)
    assert.deepEqual(await keys.unwrapDeviceDek(key_id, encrypted_dek), dek)
    assert.deepEqual(await reopen().unwrapDeviceDek(key_id, encrypted_dek), dek)
    await keys.removeKeks([key_id])
    await keys.removeKeks([key_id])
    await assert.rejects(keys.unwrapDeviceDek(key_id, encrypted_dek), KeyUnknown)
  })

  test('refuses a data key for a wrong or unknown device key, and malformed input', async () => {
    const { keys } = await make()
    const [mine, other] = await Promise.all([keys.createKek('c-1'), keys.createKek('c-1')])
    assert.notEqual(mine.key_id, other.key_id)
    const foreign = wrapDek(other.public_key_pem, randomBytes(32))
    for (const nonsense of [foreign, '', '!', foreign.slice(4)]) {
      await assert.rejects(keys.unwrapDeviceDek(mine.key_id, nonsense), CiphertextRefused)
    }
    for (const unknown of ['', randomUUID(), '../master-000001', `../phone/${mine.key_id}`]) {
      await assert.rejects(keys.unwrapDeviceDek(unknown, foreign), KeyUnknown)
    }
  })
}

/** Named secrets, signatures and health. */
function keepsSecretsAndSigns(make: Make): void {
  test('creates a named secret once and returns it to every process', async () => {
    const { keys, reopen } = await make()
    const everybody = [keys, reopen(), reopen(), keys, reopen()]
    const [first, ...others] = await Promise.all(everybody.map((one) => one.namedSecret('cookies')))
    assert.equal(first?.length, 32)
    for (const other of others) assert.deepEqual(other, first)
    first.fill(0)
    assert.deepEqual(await keys.namedSecret('cookies'), others[0])
    assert.notDeepEqual(await keys.namedSecret('uploads'), others[0])
    await assert.rejects(keys.namedSecret('../x'), RangeError)
  })

  test('signs with a key whose public half verifies the signature', async () => {
    const { keys, reopen } = await make()
    const bytes = randomBytes(100)
    const signed = await Promise.all([keys, reopen(), keys].map((one) => one.sign(bytes)))
    const there = await reopen().verificationKeys()
    assert.equal(there.length, 1)
    for (const { key_id, signature } of signed) {
      const key = there.find((each) => each.key_id === key_id)
      assert.ok(verify(null, bytes, key?.public_key_pem ?? '', signature))
      assert.ok(!verify(null, randomBytes(100), key?.public_key_pem ?? '', signature))
    }
  })

  test('reports that it is healthy', async () => {
    await (await make()).keys.health()
  })
}
