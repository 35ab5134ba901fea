import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { describe, it } from 'node:test'
import { isSignedBy, newDeviceKey, type SignedAuthentication, signAuthentication } from './device-key.ts'

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
