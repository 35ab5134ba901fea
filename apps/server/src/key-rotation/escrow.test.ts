import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { localFileKeys } from '../ports/keys/local-file.ts'
import { importEscrow, openEscrow, sealEscrow } from './escrow.ts'

const context = { client: 'c-1', purpose: 'dek', reference: 'p-1' }
const top = await mkdtemp(join(tmpdir(), 'custodia-escrow-'))
after(() => rm(top, { recursive: true, force: true }))
const folder = join(top, 'keys')
const keys = localFileKeys({ folder })
const blob = await keys.wrap(Buffer.from('secret'), context)
await keys.createKek('c-1')
await keys.namedSecret('one')
const opens = async (at: string) => (await localFileKeys({ folder: at }).unwrap(blob, context)).toString()

test('keys are restored from an escrow file with its passphrase only, unaltered, and only into an empty folder', async () => {
  const text = await sealEscrow(folder, { passphrase: 'correct horse' }, 7)
  assert.ok(!text.includes('secret') && openEscrow(text, { passphrase: 'correct horse' }).made_at === 7)
  const target = join(top, 'back')
  assert.equal(await importEscrow(text, { passphrase: 'correct horse' }, target), 3)
  assert.equal(await opens(target), 'secret')
  await assert.rejects(importEscrow(text, { passphrase: 'correct horse' }, target), /not empty/)
  assert.throws(() => openEscrow(text, { passphrase: 'correct  horse' }), /does not open/)
  const parsed = JSON.parse(text)
  const altered = JSON.stringify({ ...parsed, head: { ...parsed.head, made_at: 8 } })
  assert.throws(() => openEscrow(altered, { passphrase: 'correct horse' }), /does not open/)
  await assert.rejects(sealEscrow(join(top, 'back', 'device'), { passphrase: 'x' }, 7), /no master key/)
})

test('an escrow file for a public key opens with the matching private key', async () => {
  const pair = generateKeyPairSync('rsa', { modulusLength: 3072 })
  const text = await sealEscrow(folder, { recipient: pair.publicKey }, 7)
  const target = join(top, 'other target')
  await importEscrow(text, { private_key: pair.privateKey }, target)
  assert.equal(await opens(target), 'secret')
  const other = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
  assert.throws(() => openEscrow(text, { private_key: other }), /does not open/)
})
