import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { newDeviceKey } from '@custodia/envelope'
import { certify, type TestCertificate, keyStatement, getPem } from '../testing/certificates.ts'
import { ingestFixture, type IngestFixture } from '../testing/ingest-fixture.ts'
import { signingPhone } from '../testing/signing-phone.ts'
import { attestationError, CHALLENGE_SECONDS, makeChallenge, readRoots } from './attestation.ts'

const root = certify({ name: 'root' })
const maker = certify({ name: 'maker', issuer: root })
const secret = Buffer.alloc(32, 7)
const keys = { namedSecret: async () => secret }
const NOW = 1_800_000_000
const base64 = (...all: TestCertificate[]) => all.map(({ certificate }) => certificate.toString('base64'))
const challengeAt = async (now: number) => Buffer.from((await makeChallenge(keys, now)).challenge, 'base64')

describe('an attestation certificate chain', () => {
  const { device_key } = newDeviceKey()
  const roots = [new X509Certificate(root.certificate)]
  const warning = (chain: string[], now = NOW, trusted = roots) =>
    attestationError({ keys, roots: trusted }, { chain, device_key, now })
  let challenge: Buffer
  before(async () => {
    challenge = await challengeAt(NOW)
  })
  const getLeaf = (more: Partial<Parameters<typeof certify>[0]> = {}) =>
    certify({
      name: 'key',
      issuer: maker,
      spki: device_key,
      isAuthority: false,
      statement: keyStatement(challenge),
      ...more,
    })

  it('proves a hardware key, with or without its root', async () => {
    const leaf = getLeaf()
    assert.equal(await warning(base64(leaf, maker, root)), undefined)
    assert.equal(await warning(base64(leaf, maker)), undefined)
    assert.equal(
      await warning(base64(getLeaf({ statement: keyStatement(challenge, [2, 2]) }), maker)),
      undefined,
    )
  })

  it('proves nothing when the key, root, security level, time or challenge is wrong', async () => {
    const stranger = certify({ name: 'root' })
    const attested = certify({ name: 'attested', issuer: maker, statement: keyStatement(challenge) })
    const other = newDeviceKey().device_key
    const plain = certify({ name: 'plain', issuer: maker, isAuthority: false })
    for (const [chain, reason] of [
      [base64(getLeaf({ spki: other }), maker, root), /another key/],
      [base64(getLeaf({ issuer: stranger }), stranger), /root/],
      [base64(getLeaf({ issuer: { ...maker, privateKey: stranger.privateKey } }), maker, root), /root/],
      [base64(getLeaf({ issuer: plain }), plain, maker, root), /root/],
      [base64(getLeaf()), /root/],
      [base64(getLeaf({ issuer: attested }), attested, maker, root), /itself attested/],
      [base64(getLeaf({ statement: keyStatement(challenge, [0, 1]) }), maker, root), /software/],
      [base64(getLeaf({ statement: keyStatement(challenge, [1, 0]) }), maker, root), /software/],
      [base64(getLeaf({ statement: Buffer.from([0x30, 0x05, 0x02]) }), maker, root), /read/],
      [base64(certify({ name: 'key', issuer: maker, spki: device_key }), maker, root), /says nothing/],
      [base64(getLeaf({ until: NOW - 1 }), maker, root), /of this time/],
      [base64(getLeaf({ statement: keyStatement(Buffer.alloc(56)) }), maker, root), /challenge/],
      [base64(getLeaf({ statement: keyStatement(Buffer.from('short')) }), maker, root), /challenge/],
      [[...base64(getLeaf()), 'AAAA'], /read/],
    ] as const)
      assert.match((await warning([...chain])) ?? 'none', reason)
    assert.match(
      (await warning(base64(getLeaf(), maker, root), NOW + CHALLENGE_SECONDS + 1)) ?? '',
      /challenge/,
    )
    assert.match((await warning(base64(getLeaf(), maker, root), NOW, [])) ?? '', /no roots/)
  })

  it('is rejected wherever it is altered or truncated', async () => {
    const whole = getLeaf().certificate
    for (let at = 0; at < whole.length; at += 3) {
      const broken = Buffer.from(whole)
      broken[at] = (broken[at] ?? 0) ^ 0x55
      assert.ok((await warning([broken.toString('base64'), ...base64(maker)])) !== undefined)
      assert.ok((await warning([whole.subarray(0, at).toString('base64'), ...base64(maker)])) !== undefined)
    }
  })
})

describe('a device with an attestation chain', () => {
  let fixture: IngestFixture
  let folder: string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'custodia-roots-'))
    await writeFile(join(folder, 'roots.pem'), getPem(certify({ name: 'another' })) + getPem(root))
    fixture = await ingestFixture({}, { ATTESTATION_ROOTS: join(folder, 'roots.pem') })
  })
  after(async () => {
    await fixture?.close()
    await rm(folder, { recursive: true })
  })
  const isProved = async (device_reference: string) =>
    (
      await fixture.sql<{ attested: boolean }>(
        'select attested_at is not null as attested from devices where device_reference = $1',
        [device_reference],
      )
    )[0]?.attested

  it('is attested permanently by a valid chain, and by its key alone with an invalid chain', async () => {
    const asked = await fixture.app.inject({ url: '/device/v1/challenge' })
    assert.equal(asked.statusCode, 200, asked.body)
    const challenge = Buffer.from(asked.json().challenge, 'base64')
    for (const isGood of [true, false]) {
      const pair = newDeviceKey()
      const phone = signingPhone(fixture, {}, pair)
      const statement = keyStatement(challenge, isGood ? [1, 1] : [0, 0])
      const leaf = certify({
        name: 'key',
        issuer: maker,
        spki: pair.device_key,
        isAuthority: false,
        statement,
      })
      const { device_reference } = await phone.open({ attestation: base64(leaf, maker, root) })
      assert.equal(await isProved(device_reference), isGood)
      assert.equal((await phone.open()).device_reference, device_reference)
      assert.equal(await isProved(device_reference), isGood)
    }
  })

  it('the server rejects a roots file that is missing or contains no certificate', async () => {
    assert.throws(() => readRoots(join(folder, 'none.pem')), /ATTESTATION_ROOTS: .*none\.pem cannot be read/)
    await writeFile(join(folder, 'empty.pem'), 'nothing')
    assert.throws(() => readRoots(join(folder, 'empty.pem')), /contains no certificate/)
  })
})
