import assert from 'node:assert/strict'
import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { test } from 'node:test'
import { canonical, SIGNED_FILES } from '@custodia/contract'
import type { VerifiedFile } from '@custodia/sealed-log'
import { BlobWriter, TextReader, ZipWriter } from '@zip.js/zip.js'
import { filesOfZip, verifyBundle, verifyDocument, verifySealed } from './verify-files.ts'

const sha = (text: string) => createHash('sha256').update(text).digest('hex')
const FIRST = 'data/originals/2026-11-25_1358_Sofia-Duarte_+5511955550712.wav'
const MANIFEST = `${sha('sound')}  ${FIRST}\n${sha('other')}  data/originals/other.wav\n`

/** Verifies a zip of these files, below the folder of a bag, and others as they are named. */
async function verify(
  files: Record<string, string>,
  others: readonly (readonly [string, string])[] = [],
): Promise<Record<string, VerifiedFile['outcome']> | undefined> {
  const writer = new ZipWriter(new BlobWriter(), { useWebWorkers: false })
  const below = Object.entries(files).map(([name, text]) => [`export-1/${name}`, text] as const)
  for (const [name, text] of [...below, ...others]) await writer.add(name, new TextReader(text))
  const zip = await writer.close()
  const shares: number[] = []
  const found = await verifyBundle(await filesOfZip(zip), '', (share) => shares.push(share))
  assert.ok(shares.every((share) => share > 0 && share <= 1))
  return found && Object.fromEntries(found.files.map(({ path, outcome }) => [path, outcome]))
}

test('a bundle is compared with its manifests, file by file', async () => {
  const whole = { [FIRST]: 'sound', 'data/originals/other.wav': 'other', 'manifest-sha256.txt': MANIFEST }
  const tags = { 'tagmanifest-sha256.txt': `${sha(MANIFEST)}  manifest-sha256.txt\n` }
  assert.deepEqual(await verify({ ...whole, ...tags }), {
    [FIRST]: 'unchanged',
    'data/originals/other.wav': 'unchanged',
    'manifest-sha256.txt': 'unchanged',
  })
  assert.deepEqual(
    await verify({ [FIRST]: 'Sound', 'data/new.wav': 'x', 'manifest-sha256.txt': `${MANIFEST} `, ...tags }),
    {
      [FIRST]: 'changed',
      'data/originals/other.wav': 'missing',
      'manifest-sha256.txt': 'changed',
      'data/new.wav': 'unlisted',
    },
  )
  assert.equal(await verify({ [FIRST]: 'sound' }), undefined, 'no manifest, no bundle')
})

test('a zip is refused whose names before the contents are others than in its directory, or that hides a content', async () => {
  const writer = new ZipWriter(new BlobWriter(), { useWebWorkers: false })
  for (const [name, text] of [
    ['data/a.wav', 'a'],
    ['manifest-sha256.txt', `${sha('a')}  data/a.wav\n`],
  ] as const)
    await writer.add(name, new TextReader(text))
  const zip = Buffer.from(await (await writer.close()).arrayBuffer())
  const read = async (bytes: Buffer) =>
    verifyBundle(await filesOfZip(new Blob([Uint8Array.from(bytes)])), '', () => undefined)
  assert.ok(await read(zip))
  await assert.rejects(read(zip.with(zip.indexOf('data/a.wav'), 120) as Buffer))
  const directory = zip.indexOf('PK\x01\x02')
  const entry = zip.subarray(0, zip.indexOf('PK\x03\x04', 9))
  const hiding = Buffer.concat([zip.subarray(0, directory), entry, zip.subarray(directory)])
  hiding.writeUInt32LE(directory + entry.length, hiding.length - 6)
  await assert.rejects(read(hiding))
})

test('a bundle hides no file next to itself, under a manifest of its own or a second time', async () => {
  const tags = `${sha(MANIFEST)}  manifest-sha256.txt\n`
  const whole = {
    [FIRST]: 'sound',
    'data/originals/other.wav': 'other',
    'manifest-sha256.txt': MANIFEST,
    'tagmanifest-sha256.txt': tags,
  }
  const wrong = async (files: Record<string, string>, others?: readonly (readonly [string, string])[]) =>
    Object.entries((await verify(files, others)) ?? {}).filter(([, outcome]) => outcome !== 'unchanged')
  assert.deepEqual(await wrong(whole), [])
  assert.deepEqual(await wrong(whole, [['data/forged.wav', 'x']]), [['data/forged.wav', 'unlisted']])
  const inner = { 'data/a.wav': 'a', 'data/manifest-sha256.txt': `${sha('a')}  a.wav\n` }
  assert.deepEqual(
    (await wrong({ ...inner, ...whole })).map(([path, outcome]) => [path, outcome]),
    Object.keys(inner).map((path) => [path, 'unlisted']),
  )
  const second = [
    ['export-2/a.wav', 'b'],
    ['export-2/manifest-sha256.txt', `${sha('a')}  a.wav\n`],
  ] as const
  assert.deepEqual(await wrong(whole, second), [
    ['export-2/a.wav', 'changed'],
    ['export-2/manifest-sha256.txt', 'unlisted'],
  ])
  const file = (text: string) => ({
    path: FIRST,
    size: text.length,
    stream: (into: WritableStream<Uint8Array>) => new Blob([text]).stream().pipeTo(into),
  })
  const manifest = { ...file(`${sha('sound')}  ${FIRST}\n`), path: 'manifest-sha256.txt' }
  const twice = await verifyBundle([manifest, file('forged'), file('sound')], '', () => undefined)
  assert.ok(twice?.files.some(({ path, outcome }) => path === FIRST && outcome === 'doubled'))
})

test('a hostile archive is read in a time that grows with its size', async () => {
  const file = (path: string, text = '') => ({
    path,
    size: text.length,
    stream: (into: WritableStream<Uint8Array>) => new Blob([text]).stream().pipeTo(into),
  })
  // A quadratic reading takes minutes.
  const line = `${'0'.repeat(64)}${' '.repeat(500_000)}\rx\n`
  const long = await verifyBundle([file('manifest-sha256.txt', line)], '', () => undefined)
  assert.deepEqual(long?.files, [{ path: 'manifest-sha256.txt', outcome: 'unlisted' }])
  const many = Array.from({ length: 8_000 }, (_, n) => file(`bag-${n}/manifest-sha256.txt`))
  assert.equal((await verifyBundle(many, '', () => undefined))?.bags.length, many.length)
  const checkpoint = new Blob(['custodia/x\n'.repeat(200_000)])
  assert.equal((await verifySealed(checkpoint, ['x'], [])).isGood, false)
})

test('the browser verifies each kind of signed document, and finds a changed byte', async () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const pem = String(publicKey.export({ format: 'pem', type: 'spki' }))
  const key_id = createHash('sha256')
    .update(publicKey.export({ format: 'der', type: 'spki' }))
    .digest('hex')
    .slice(0, 32)
  const makeDocument = (format: string, member: string, facts: readonly string[]) => {
    const signed = {
      format,
      client: 'acme',
      issued_at: 1,
      ...Object.fromEntries(facts.map((name) => [name, 7])),
    }
    const value = sign(null, Buffer.from(canonical(signed)), privateKey).toString('base64')
    return JSON.stringify({ [member]: signed, signature: { algorithm: 'Ed25519', key_id, value } })
  }
  for (const [format, { member, facts }] of Object.entries(SIGNED_FILES)) {
    const text = makeDocument(format, member, facts)
    const found = await verifyDocument(text, pem)
    assert.equal(found && (found.fault ?? 'good'), 'good', format)
    assert.deepEqual(
      found?.facts.map(({ name }) => name),
      ['client', 'issued_at', ...facts],
    )
    assert.equal((await verifyDocument(text.replace(':7', ':8'), pem))?.fault, 'altered')
    assert.equal((await verifyDocument(text, ''))?.fault, 'unknown_key')
    assert.equal(await verifyDocument(text.slice(0, -1), pem), undefined)
  }
  assert.equal(await verifyDocument(makeDocument('custodia.unknown/1', 'report', []), pem), undefined)
})
