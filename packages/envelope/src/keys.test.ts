import assert from 'node:assert/strict'
import { constants, generateKeyPairSync, publicEncrypt, randomBytes, webcrypto } from 'node:crypto'
import { describe, it } from 'node:test'
import * as fc from 'fast-check'
import {
  isSignedBy,
  newDek,
  newDeviceKey,
  newKeyPair,
  openUlid,
  sealUlid,
  signAuthentication,
  type SignedAuthentication,
  unwrapDek,
  wrapDek,
} from './keys.ts'
import { EnvelopeError, unwrapSecret, wrapSecret } from './segment-cipher.ts'

const code = (expected: string) => (error: unknown) =>
  error instanceof EnvelopeError && error.code === expected

describe('encrypted_dek', async () => {
  const { publicKeyPem, privateKey } = await newKeyPair()

  it('round-trips under RSA 3072', async () => {
    const dek = newDek()
    assert.equal(dek.length, 32)
    assert.equal(privateKey.asymmetricKeyDetails?.modulusLength, 3072)
    assert.match(publicKeyPem, /^-----BEGIN PUBLIC KEY-----\n/)
    assert.deepEqual(await unwrapDek(privateKey, wrapDek(publicKeyPem, dek)), dek)
  })

  it('is compatible with WebCrypto RSA-OAEP with SHA-256', async () => {
    const dek = newDek()
    const der = privateKey.export({ type: 'pkcs8', format: 'der' })
    const key = await webcrypto.subtle.importKey('pkcs8', der, { name: 'RSA-OAEP', hash: 'SHA-256' }, false, [
      'decrypt',
    ])
    const wrapped = Buffer.from(wrapDek(publicKeyPem, dek), 'base64')
    assert.deepEqual(Buffer.from(await webcrypto.subtle.decrypt('RSA-OAEP', key, wrapped)), dek)
  })

  it('rejects any value that is not a DEK for this key', async () => {
    const under = (dek: Buffer, options: object = { oaepHash: 'sha256' }) =>
      publicEncrypt(
        { key: publicKeyPem, padding: constants.RSA_PKCS1_OAEP_PADDING, ...options },
        dek,
      ).toString('base64')
    const other = generateKeyPairSync('rsa', { modulusLength: 3072 }).publicKey.export({
      type: 'spki',
      format: 'pem',
    })
    const good = wrapDek(publicKeyPem, newDek())
    for (const encrypted_dek of [
      '',
      'not base64!',
      `${good} `,
      good.slice(4),
      under(randomBytes(16)),
      under(randomBytes(33)),
      under(randomBytes(32), { oaepHash: 'sha1' }),
      under(randomBytes(32), { padding: constants.RSA_PKCS1_PADDING }),
      wrapDek(other.toString(), newDek()),
    ]) {
      await assert.rejects(unwrapDek(privateKey, encrypted_dek), code('undecryptable_key'))
    }
  })

  it('rejects weak keys and DEKs of another size', () => {
    const small = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey
    const curve = generateKeyPairSync('ed25519').publicKey
    for (const key of [small, curve]) {
      const pem = key.export({ type: 'spki', format: 'pem' }).toString()
      assert.throws(() => wrapDek(pem, newDek()), code('undecryptable_key'))
    }
    assert.throws(() => wrapDek('hello', newDek()), code('undecryptable_key'))
    assert.throws(() => wrapDek(publicKeyPem, randomBytes(16)), RangeError)
  })
})

describe('wrapSecret', () => {
  const master = randomBytes(32)
  const place = Buffer.from('storage_key|acme')

  it('round-trips and has the layout 1 | iv12 | ciphertext | tag16', () => {
    fc.assert(
      fc.property(fc.uint8Array({ max: 200 }), (secret) => {
        const blob = wrapSecret(master, secret, place)
        assert.equal(blob.length, 1 + 12 + secret.length + 16)
        assert.equal(blob[0], 1)
        assert.deepEqual(unwrapSecret(master, blob, place), Buffer.from(secret))
      }),
    )
  })

  it('rejects a changed or shortened value, another key and another location', () => {
    const blob = wrapSecret(master, Buffer.from('secret'), place)
    for (let bit = 0; bit < blob.length * 8; bit += 1) {
      const changed = Buffer.from(blob)
      changed[bit >> 3]! ^= 1 << (bit & 7)
      assert.throws(() => unwrapSecret(master, changed, place), code('undecryptable_key'))
    }
    for (let size = 0; size < blob.length; size += 1) {
      assert.throws(() => unwrapSecret(master, blob.subarray(0, size), place), code('undecryptable_key'))
    }
    assert.throws(() => unwrapSecret(randomBytes(32), blob, place), code('undecryptable_key'))
    assert.throws(() => unwrapSecret(master, blob, Buffer.from('elsewhere')), code('undecryptable_key'))
    assert.throws(() => wrapSecret(randomBytes(16), Buffer.from('secret'), place), RangeError)
  })
})

describe('ulid_encrypted', () => {
  const key = randomBytes(32)
  const ulid = '01JD5X3V8Q2M4N6P7R9S0T1V2W'

  it('round-trips', () => {
    const sealed = sealUlid(key, 'account-1', ulid)
    assert.match(sealed, /^[A-Za-z0-9+/]{72}$/)
    assert.equal(openUlid(key, 'account-1', sealed), ulid)
    assert.throws(() => sealUlid(key, 'account-1', ulid.toLowerCase()), RangeError)
  })

  it('rejects another account, another key and malformed values', () => {
    const sealed = sealUlid(key, 'account-1', ulid)
    const notUlid = wrapSecret(key, Buffer.from('I'.repeat(26)), Buffer.from('x'))
      .subarray(1)
      .toString('base64')
    assert.throws(() => openUlid(key, 'account-2', sealed), code('tampered'))
    assert.throws(() => openUlid(randomBytes(32), 'account-1', sealed), code('tampered'))
    for (const text of ['', 'x', sealed.slice(1), `${sealed}AAAA`, `${sealed.slice(0, 71)}*`, notUlid]) {
      assert.throws(() => openUlid(key, 'account-1', text), code('tampered'))
    }
  })
})

const stated: SignedAuthentication = {
  account_reference: 'acme',
  ulid_encrypted: 'AAAA',
  serial_number: 'S1',
  installation_id: 'I1',
  imeis: ['356938035643809', '356938035643800'],
  email: 'a@b.example',
}
const der = (
  key: { export(options: { format: 'der'; type: 'spki' | 'pkcs8' }): Buffer },
  type: 'spki' | 'pkcs8',
) => key.export({ format: 'der', type }).toString('base64')

describe('the signature of an authentication', () => {
  it('is valid only for the signed data, with P-256 and Ed25519', () => {
    const ed = generateKeyPairSync('ed25519')
    const pairs = [
      newDeviceKey(),
      { device_key: der(ed.publicKey, 'spki'), private_key: der(ed.privateKey, 'pkcs8') },
    ]
    for (const { device_key, private_key } of pairs) {
      const signature = signAuthentication(private_key, stated)
      assert.ok(isSignedBy(device_key, signature, stated))
      assert.ok(isSignedBy(device_key, signature, { ...stated, imeis: stated.imeis.toReversed() }))
      const others: SignedAuthentication[] = [
        { ...stated, account_reference: 'globex' },
        { ...stated, ulid_encrypted: 'BBBB' },
        { ...stated, serial_number: 'S2' },
        { ...stated, serial_number: null },
        { ...stated, installation_id: undefined },
        { ...stated, imeis: [] },
        { ...stated, email: 'c@b.example' },
      ]
      for (const other of others) assert.ok(!isSignedBy(device_key, signature, other), JSON.stringify(other))
      assert.ok(!isSignedBy(newDeviceKey().device_key, signature, stated))
      assert.ok(!isSignedBy(device_key, '', stated))
      assert.ok(!isSignedBy(device_key, `${signature}\n`, stated))
    }
  })

  it('is rejected for other key types and other encodings of a key', () => {
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const curve = generateKeyPairSync('ec', { namedCurve: 'secp256k1' })
    for (const { publicKey, privateKey } of [rsa, curve]) {
      const signature = signAuthentication(der(privateKey, 'pkcs8'), stated)
      assert.ok(!isSignedBy(der(publicKey, 'spki'), signature, stated))
    }
    const { device_key, private_key } = newDeviceKey()
    const longer = Buffer.concat([Buffer.from(device_key, 'base64'), Buffer.from([0])]).toString('base64')
    for (const spelling of [longer, `${device_key} `, 'AAAA', ''])
      assert.ok(!isSignedBy(spelling, signAuthentication(private_key, stated), stated), spelling)
  })
})
