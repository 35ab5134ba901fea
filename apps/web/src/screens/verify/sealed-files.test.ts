import assert from 'node:assert/strict'
import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { test } from 'node:test'
import {
  getDigest,
  formatCheckpoint,
  formatKey,
  formatLeaf,
  formatNote,
  Frontier,
  leafHash,
  type NoteKey,
  utf8,
} from '@custodia/sealed-log'
import { verifySealed } from './sealed-files.ts'

const sha256 = (bytes: Uint8Array): Uint8Array => createHash('sha256').update(bytes).digest()
const { publicKey, privateKey } = generateKeyPairSync('ed25519')
const key: NoteKey = {
  name: 'custodia/acme',
  algorithm: 'Ed25519',
  public_key: publicKey.export({ format: 'der', type: 'spki' }).subarray(-32),
}

/** A log of three entries as a file, and its checkpoint. */
function makeLog(): { log: string; checkpoint: string } {
  const tree = new Frontier(sha256)
  const lines = [0, 1, 2].map((position) => {
    const [fields, salt] = [{ action: `act ${position}` }, Buffer.alloc(16, position)]
    const digest = Buffer.from(getDigest(sha256, salt, fields)).toString('hex')
    const leaf = formatLeaf({ source: 'portal_activities', at: position, digest })
    tree.push(leafHash(sha256, utf8(leaf)))
    return JSON.stringify({ position, leaf, salt: salt.toString('hex'), fields })
  })
  const text = formatCheckpoint({ origin: key.name, size: 3, root: tree.root() })
  const checkpoint = formatNote(sha256, text, key, sign(null, utf8(text), privateKey))
  const head = JSON.stringify({ format: 'custodia-sealed-log/1', checkpoint, checkpoints: [] })
  return { log: [head, ...lines, ''].join('\n'), checkpoint }
}

test('the browser verifies a log and a checkpoint, and finds a changed entry and a foreign signature', async () => {
  const { log, checkpoint } = makeLog()
  const verify = (text: string, checkpoints: string[] = [], by = formatKey(sha256, key)) =>
    verifySealed(new Blob([text]), [by], checkpoints)
  const good = { isGood: true, origin: 'custodia/acme', size: 3, disclosed: 3, skipped: 0 }
  assert.deepEqual(await verify(log, [checkpoint]), { ...good, entries: 3, checkpoints: 2 })
  assert.deepEqual(await verify(checkpoint), { ...good, entries: 0, disclosed: 0, checkpoints: 1 })
  // A public key, as the portal saves it, is for all logs.
  const pem = String(publicKey.export({ format: 'pem', type: 'spki' }))
  assert.deepEqual(await verify(log, [checkpoint], pem), await verify(log, [checkpoint]))
  assert.deepEqual(await verify(checkpoint, [], pem), await verify(checkpoint))
  assert.deepEqual(await verify(`Keep this mail.\r\n\r\n${checkpoint.trimEnd()}`), await verify(checkpoint))
  const other = String(generateKeyPairSync('ed25519').publicKey.export({ format: 'pem', type: 'spki' }))
  assert.equal((await verify(log, [], other)).isGood, false)
  assert.equal((await verify(log, [], pem.replace('MCowBQYDK2Vw', ''))).isGood, false)
  assert.deepEqual(await verify(log.replace('act 1', 'act 9')), {
    isGood: false,
    fault: { code: 'entry_changed', values: { position: 1 } },
  })
  // The signature of another text.
  const forged = checkpoint.replace('\n3\n', '\n4\n')
  const values = { checkpoint: 'newest', origin: '' }
  assert.deepEqual(await verify(forged), { isGood: false, fault: { code: 'checkpoint_unsigned', values } })
  assert.equal((await verify('anything')).isGood, false)
})
