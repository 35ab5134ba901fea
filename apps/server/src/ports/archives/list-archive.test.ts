import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { makeZip } from 'client-zip'
import { packTar } from 'modern-tar'
import { getBytes, getSource } from '../../testing/media-files.ts'
import { listArchive, MAX_ENTRIES, NAME_LENGTH } from './list-archive.ts'

const list = (bytes: Buffer) => listArchive(getSource(bytes))
const names = async (bytes: Buffer) => (await list(bytes)).entries.map(({ name }) => name)

async function getZip(files: { name: string; input: string }[]): Promise<Buffer> {
  const lastModified = new Date('2026-11-02T09:00:00Z')
  const chunks: Uint8Array[] = []
  for await (const chunk of makeZip(files.map((file) => ({ ...file, lastModified })))) chunks.push(chunk)
  return Buffer.concat(chunks)
}
const getTar = async (names: string[], size = 5) =>
  Buffer.from(
    await packTar(
      names.map((name) => ({ header: { name, size, type: 'file' }, body: Buffer.alloc(size, 65) })),
    ),
  )
/** A number in the index of a zip, found behind the mark of its first entry. */
function patched(zip: Buffer, offset: number, bytes: number[]): Buffer {
  const made = Buffer.from(zip)
  made.set(bytes, made.indexOf('PK\x01\x02', 0, 'latin1') + offset)
  return made
}

test('lists the entries of zip, tar and compressed tar files by name and size', async () => {
  const zip = await list(
    await getZip([
      { name: 'logs/app.log', input: 'hello' },
      { name: 'batería.json', input: '' },
    ]),
  )
  assert.equal(zip.format, 'zip')
  assert.equal(zip.reason, undefined)
  assert.deepEqual(
    zip.entries.map(({ name, size, is_folder, is_encrypted }) => ({ name, size, is_folder, is_encrypted })),
    [
      { name: 'logs/app.log', size: 5, is_folder: false, is_encrypted: false },
      { name: 'batería.json', size: 0, is_folder: false, is_encrypted: false },
    ],
  )
  const tar = await getTar(['a.log', 'b/c.log'])
  for (const [format, bytes] of [
    ['tar', tar],
    ['tar.gz', gzipSync(tar)],
  ] as const) {
    const listing = await list(bytes)
    assert.equal(listing.format, format)
    assert.deepEqual(
      listing.entries.map(({ name, size }) => [name, size]),
      [
        ['a.log', 5],
        ['b/c.log', 5],
      ],
    )
  }
  assert.ok((await names(getBytes('formats/bundle.zip'))).length > 0, 'the bundle of the demo')
})

test('lists unsafe entry names unchanged and truncates very long ones', async () => {
  const absurd = [
    '../../etc/passwd',
    '/absolute',
    'C:\\windows\\system32',
    'a\u202egpj.exe',
    'new\nline',
    `${'x'.repeat(5000)}.log`,
  ]
  const listed = await names(await getZip(absurd.map((name) => ({ name, input: '' }))))
  assert.deepEqual(listed.slice(0, 2), absurd.slice(0, 2))
  assert.deepEqual(listed.slice(3, 5), absurd.slice(3, 5))
  assert.equal(listed[5]?.length, NAME_LENGTH)
  assert.deepEqual(await names(await getTar(['../../etc/passwd'])), ['../../etc/passwd'])
})

test('lists a nested archive as one entry and marks encrypted entries', async () => {
  const inner = await getZip([{ name: 'hidden', input: 'x' }])
  const nested = await getZip([{ name: 'inner.zip', input: inner.toString('latin1') }])
  assert.deepEqual(await names(nested), ['inner.zip'])
  // An encrypted entry that is stored takes twelve bytes more.
  const marked = patched(await getZip([{ name: 'secret', input: 'x' }]), 8, [0x09, 0x08])
  const sealed = patched(marked, 20, [13])
  assert.equal((await list(sealed)).entries[0]?.is_encrypted, true)
})

test('stays within limits for archive bombs with many entries, false sizes or huge content', async () => {
  const many = await getZip(Array.from({ length: MAX_ENTRIES + 5 }, (_, i) => ({ name: `${i}`, input: '' })))
  const listing = await list(many)
  assert.deepEqual([listing.entries.length, listing.reason], [MAX_ENTRIES, 'too_many'])
  const tall = await list(await getTar(Array.from({ length: MAX_ENTRIES + 5 }, (_, i) => `${i}`)))
  assert.deepEqual([tall.entries.length, tall.reason], [MAX_ENTRIES, 'too_many'])
  // One entry that claims four gigabytes: only a number, without an allocation.
  const most = [0xfe, 0xff, 0xff, 0xff]
  const claimed = await list(patched(await getZip([{ name: 'big', input: 'x' }]), 20, [...most, ...most]))
  assert.equal(claimed.entries[0]?.size, 0xfffffffe)
  const bomb = gzipSync(await getTar(['zeros'], 66 * 1024 * 1024))
  assert.ok(bomb.length < 1024 * 1024)
  const ended = await list(bomb)
  assert.deepEqual(
    [ended.format, ended.reason, ended.entries.map(({ name }) => name)],
    ['tar.gz', 'too_large', ['zeros']],
  )
})

test('reports damaged archives and files that are not archives', async () => {
  const zip = await getZip([{ name: 'a', input: 'hello' }])
  assert.equal((await list(zip.subarray(0, zip.length - 10))).reason, 'damaged')
  assert.equal((await list(patched(zip, 0, [0, 0, 0, 0]))).reason, 'damaged')
  assert.equal((await list(Buffer.from('PK\x03\x04'))).reason, 'damaged')
  const tar = gzipSync(await getTar(['a.log']))
  assert.equal((await list(tar.subarray(0, 40))).reason, 'damaged')
  assert.equal((await list(gzipSync('only text'))).format, undefined)
  assert.equal((await list(Buffer.from('{"battery": 80}'))).reason, 'not_archive')
  assert.equal((await list(Buffer.alloc(0))).reason, 'not_archive')
  // Any cut and any flipped byte gets a result.
  for (let at = 0; at < zip.length; at++) {
    await list(zip.subarray(0, at))
    const flipped = Buffer.from(zip)
    flipped[at] = flipped[at]! ^ 0xff
    await list(flipped)
  }
})

test('passes on read errors unchanged', async () => {
  const broken = async function* () {
    yield Buffer.alloc(0)
    throw new Error('forged')
  }
  await assert.rejects(listArchive({ size: 10_000, read: broken }), /forged/)
  const zip = await getZip([{ name: 'a', input: 'hello' }])
  const source = getSource(zip)
  let reads = 0
  const later = {
    size: zip.length,
    read: (start: number, end: number) => (reads++ === 0 ? source.read(start, end) : broken()),
  }
  await assert.rejects(listArchive(later), /forged/)
  reads = 0
  const tar = getSource(gzipSync(await getTar(['a'])))
  await assert.rejects(
    listArchive({ size: tar.size, read: (start, end) => (reads++ === 0 ? tar.read(start, end) : broken()) }),
    /forged/,
  )
})
