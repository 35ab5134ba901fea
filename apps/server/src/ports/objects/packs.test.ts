import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { cp, mkdtemp, open, readdir, readFile, rm, truncate } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, mock, test } from 'node:test'
import { mayMount, smallDisk } from '../../testing/daemon.ts'
import { broken, fileHandle, watchSyncs } from '../../testing/syncs.ts'
import { filesystemStore } from './filesystem.ts'
import { openIndex } from './pack-index.ts'
import { packRecord } from './pack-record.ts'
import { all, collect, pieces } from './port.conformance.ts'
import { ObjectExists, ObjectNotFound, ObjectStoreUnavailable } from './port.ts'

const top = await mkdtemp(join(tmpdir(), 'custodia-packs-'))
after(() => rm(top, { recursive: true, force: true }))

const FUTURE = Date.now() / 1000 + 3600
const openStore = (root: string) =>
  filesystemStore({ root, base_url: '', upload_secret: Buffer.alloc(32), now: () => 0 })
const fresh = async () => {
  const root = await mkdtemp(join(top, 'store-'))
  return { root, packs: join(root, 'packs'), store: openStore(root) }
}
type Store = ReturnType<typeof openStore>

/** Puts objects under `<prefix>/0` and so on; resolves to their bytes by key. */
async function putMany(
  store: Store,
  prefix: string,
  count: number,
  size = 900,
): Promise<Map<string, Buffer>> {
  const objects = new Map(Array.from({ length: count }, (_, i) => [`${prefix}/${i}`, randomBytes(size + i)]))
  await Promise.all([...objects].map(([key, bytes]) => store.put(key, pieces(bytes))))
  return objects
}

async function assertAll(store: Store, objects: Iterable<[string, Buffer]>): Promise<void> {
  for (const [key, bytes] of objects) assert.ok((await collect(store.read(key))).equals(bytes), key)
}

type Operation = (...args: unknown[]) => Promise<unknown>
/** Operations of open files, to replace. */
const handles = async () =>
  (await fileHandle()) as unknown as Record<'sync' | 'truncate' | 'write', Operation>

const getKeys = async (store: Store) => (await all(store.list(''))).map(({ key }) => key).toSorted()

/** All bytes of a folder. */
async function bytesBelow(folder: string): Promise<Buffer> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return Buffer.concat(await Promise.all(files.map((file) => readFile(file))))
}

const getSegments = async (packs: string) =>
  (await readdir(packs))
    .filter((name) => name.endsWith('.pack'))
    .toSorted()
    .map((name) => join(packs, name))

/** Alters the first byte of a packed object on the disk; resolves to its bytes now. */
async function alter(packs: string, object: Buffer): Promise<Buffer> {
  const [segment = ''] = await getSegments(packs)
  const at = (await readFile(segment)).indexOf(object)
  const altered = Buffer.from(object)
  altered.writeUInt8(object.readUInt8() ^ 1)
  const file = await open(segment, 'r+')
  await file.write(altered, 0, 1, at)
  await file.close()
  return altered
}

test('packs small objects into one file, with one sync for those that arrive together', async () => {
  const { store, root, packs } = await fresh()
  const first = await watchSyncs()
  await putMany(store, 'first', 1)
  first.restore()
  // Also the name of their new folder is durable.
  if (process.platform === 'linux') assert.ok(first.paths.includes(root), 'the root is not synced')
  const syncs = mock.method(await fileHandle(), 'sync')
  const objects = await putMany(store, 'c/p', 200)
  syncs.mock.restore()
  const count = syncs.mock.callCount()
  assert.ok(count > 0 && count < 10, `${count} syncs`)
  assert.equal((await getSegments(packs)).length, 1)
  assert.deepEqual(await readdir(root), ['packs'])
  await assertAll(openStore(root), objects)
})

test('finds what a power cut has left out of the index, and drops a half written record', async () => {
  const { store, root, packs } = await fresh()
  const early = await putMany(store, 'early', 20)
  await store.delete('early/3')
  early.delete('early/3')
  // A power cut may lose any number of the newest changes of the index, and never a synced segment.
  const cut = join(await mkdtemp(join(top, 'cut-')), 'root')
  await cp(root, cut, { recursive: true })
  const late = await putMany(store, 'late', 20)
  await store.put('torn', pieces(randomBytes(500)))
  const [segment = ''] = await getSegments(packs)
  const copy = segment.replace(root, cut)
  await cp(segment, copy)
  await truncate(copy, (await readFile(copy)).length - 100)
  const after = openStore(cut)
  await assertAll(after, [...early, ...late])
  assert.equal(await after.head('torn'), undefined)
  assert.deepEqual(await getKeys(after), [...early.keys(), ...late.keys()].toSorted())
  await after.put('torn', pieces(Buffer.from('again')))
  // The tail is cut off once the segment is closed.
  await after.sweep(FUTURE)
  await assertAll(openStore(cut), [...early, ...late, ['torn', Buffer.from('again')]])
})

test('makes a lost index again from the segments, without what was deleted', async () => {
  const { store, root, packs } = await fresh()
  const objects = await putMany(store, 'c/p', 40)
  await store.delete('c/p/7', 'c/p/8')
  for (const key of ['c/p/7', 'c/p/8']) objects.delete(key)
  const listed = await all(store.list(''))
  for (const name of await readdir(packs)) if (name.startsWith('index')) await rm(join(packs, name))
  const again = openStore(root)
  assert.deepEqual(await all(again.list('')), listed)
  await assertAll(again, objects)
})

test('keeps the other records when one is altered and the index is lost', async () => {
  const { store, root, packs } = await fresh()
  const objects = await putMany(store, 'c/p', 20)
  await alter(packs, objects.get('c/p/5') as Buffer)
  for (const name of await readdir(packs)) if (name.startsWith('index')) await rm(join(packs, name))
  const again = openStore(root)
  objects.delete('c/p/5')
  assert.deepEqual(await getKeys(again), [...objects.keys()].toSorted())
  await assertAll(again, objects)
})

test('an object whose segment is removed or cut is missing, and can be put again', async () => {
  const { store, root, packs } = await fresh()
  const objects = await putMany(store, 'c/p', 4)
  const [segment = ''] = await getSegments(packs)
  await truncate(segment, (await readFile(segment)).indexOf(objects.get('c/p/2') as Buffer) + 10)
  const cut = openStore(root)
  assert.deepEqual(await getKeys(cut), ['c/p/0', 'c/p/1'])
  await cut.delete('c/p/3')
  assert.deepEqual([await cut.head('c/p/2'), await cut.ensureDurable('c/p/2')], [undefined, undefined])
  await rm(segment)
  const lost = openStore(root)
  assert.deepEqual([await getKeys(lost), await lost.head('c/p/0')], [[], undefined])
  await assert.rejects(collect(lost.read('c/p/0')), ObjectNotFound)
  objects.delete('c/p/3')
  for (const [key, bytes] of objects) await lost.put(key, pieces(bytes))
  await openStore(root).sweep(FUTURE)
  await assertAll(openStore(root), objects)
  assert.deepEqual(await getKeys(store), [...objects.keys()])
})

test('an older index finds what compaction has moved since', async () => {
  const { store, root, packs } = await fresh()
  const objects = await putMany(store, 'c/p', 9)
  const former = await mkdtemp(join(top, 'former-'))
  await cp(packs, former, { recursive: true })
  await store.delete('c/p/1', 'c/p/2', 'c/p/3', 'c/p/4', 'c/p/5', 'c/p/6')
  await openStore(root).sweep(FUTURE)
  for (const name of await readdir(packs)) if (name.startsWith('index')) await rm(join(packs, name))
  for (const name of await readdir(former))
    if (name.startsWith('index')) await cp(join(former, name), join(packs, name))
  const again = openStore(root)
  assert.deepEqual(await getKeys(again), ['c/p/0', 'c/p/7', 'c/p/8'])
  for (const key of ['c/p/0', 'c/p/7', 'c/p/8'])
    assert.ok((await collect(again.read(key))).equals(objects.get(key) as Buffer), key)
})

test('takes no bytes of an uploaded object for a record', async () => {
  const { store, root, packs } = await fresh()
  await store.put('c/first', pieces(randomBytes(100)))
  const [segment = ''] = await getSegments(packs)
  // A reader of this segment could write such a record for the next one.
  const forged = (await readFile(segment)).subarray(8)
  const next = await fresh()
  await next.store.put('c/upload', pieces(forged))
  const [target = ''] = await getSegments(next.packs)
  const file = await open(target, 'r+')
  const [byte = 0] = (await file.read(Buffer.alloc(1), 0, 1, 8)).buffer
  // Another byte whatever it was: one of 256 marks begins with a zero.
  await file.write(Buffer.of(byte ^ 1), 0, 1, 8)
  await file.close()
  for (const name of await readdir(next.packs)) if (name.startsWith('index')) await rm(join(next.packs, name))
  assert.deepEqual(await getKeys(openStore(next.root)), [])
  assert.deepEqual(await getKeys(openStore(root)), ['c/first'])
  // A power cut has left zeros where the mark was, and an upload has a record with such a mark.
  const zeros = await fresh()
  const mark = Buffer.alloc(8)
  await zeros.store.put('c/upload', pieces(packRecord(mark, 'stored', 'c/forged', Buffer.from('x'), 1)))
  const [cut = ''] = await getSegments(zeros.packs)
  const written = await open(cut, 'r+')
  await written.write(mark, 0, 8, 0)
  await written.close()
  for (const name of await readdir(zeros.packs))
    if (name.startsWith('index')) await rm(join(zeros.packs, name))
  assert.deepEqual(await getKeys(openStore(zeros.root)), [])
})

test('leaves a sparse segment with an altered record', async () => {
  const { store, root, packs } = await fresh()
  const objects = await putMany(store, 'c/p', 20)
  const altered = await alter(packs, objects.get('c/p/5') as Buffer)
  await store.delete(...[...objects.keys()].slice(6))
  await openStore(root).sweep(FUTURE)
  assert.ok((await collect(openStore(root).read('c/p/5'))).equals(altered))
})

test('overwrites deleted bytes at once, also after an interrupted removal', async () => {
  const { store, root } = await fresh()
  const objects = await putMany(store, 'c/p', 10)
  const [one, two] = [objects.get('c/p/1') as Buffer, objects.get('c/p/2') as Buffer]
  await store.delete('c/p/1')
  assert.equal((await bytesBelow(root)).includes(one), false)
  assert.ok((await bytesBelow(root)).includes(two))
  const failing = mock.method(await handles(), 'write', () => Promise.reject(broken('EIO')))
  await assert.rejects(store.delete('c/p/2', 'c/p/3'), ObjectStoreUnavailable)
  failing.mock.restore()
  assert.deepEqual([await store.head('c/p/2'), await store.leftovers(FUTURE)], [undefined, 2])
  assert.ok((await bytesBelow(root)).includes(two))
  await openStore(root).delete('c/p/2')
  assert.equal(await store.leftovers(FUTURE), 1)
  assert.equal(await store.sweep(FUTURE), 1)
  const left = await bytesBelow(root)
  for (const key of ['c/p/2', 'c/p/3']) assert.equal(left.includes(objects.get(key) as Buffer), false, key)
  for (const key of ['c/p/1', 'c/p/2', 'c/p/3']) objects.delete(key)
  await assertAll(store, objects)
})

test('compacts sparse segments, and loses nothing when a step of it fails', async () => {
  const { store, root, packs } = await fresh()
  const objects = await putMany(store, 'c/p', 60)
  const gone = [...objects].slice(0, 45)
  await store.delete(...gone.map(([key]) => key))
  for (const [key] of gone) objects.delete(key)
  let failures = 0
  for (const method of ['sync', 'write', 'truncate'] as const)
    for (let nth = 1, isDone = false; !isDone && nth < 12; nth++) {
      let calls = 0
      const prototype = await handles()
      const real = prototype[method]
      const failing = mock.method(prototype, method, function (this: unknown, ...args: unknown[]) {
        return ++calls === nth ? Promise.reject(broken('EIO')) : real.apply(this, args)
      })
      await openStore(root)
        .sweep(FUTURE)
        .then(
          () => (isDone = calls < nth),
          () => failures++,
        )
      failing.mock.restore()
      await assertAll(openStore(root), objects)
      const [[first, bytes]] = [...objects] as [[string, Buffer]]
      await openStore(root).delete(first)
      objects.delete(first)
      assert.equal((await bytesBelow(root)).includes(bytes), false, `${method} ${nth}: a copy is left`)
      // Another object, so that there is something to compact again.
      for (const [key, bytes] of await putMany(openStore(root), `${method}-${nth}`, 2))
        objects.set(key, bytes)
    }
  assert.ok(failures > 3, `${failures} failures`)
  await openStore(root).sweep(FUTURE)
  await openStore(root).sweep(FUTURE)
  await assertAll(openStore(root), objects)
  assert.deepEqual(await getKeys(openStore(root)), [...objects.keys()].toSorted())
  const left = await bytesBelow(root)
  for (const [key, bytes] of gone) assert.equal(left.includes(bytes), false, key)
  const used = (await Promise.all((await getSegments(packs)).map((path) => readFile(path)))).flat()
  const [size, content] = [used, [...objects.values()]].map((all) =>
    all.reduce((sum, { length }) => sum + length, 0),
  )
  assert.ok((size ?? 0) < 2 * (content ?? 0), `${size} bytes for ${content}`)
})

test('reports a full disk, stores nothing, and goes on in another segment', async () => {
  const { store, root, packs } = await fresh()
  const objects = await putMany(store, 'c/p', 3)
  for (const [method, code] of [
    ['sync', 'EIO'],
    ['write', 'ENOSPC'],
  ] as const) {
    const failing = mock.method(await handles(), method, () => Promise.reject(broken(code)))
    const refused = randomBytes(100)
    await assert.rejects(store.put('c/full', pieces(refused)), ObjectStoreUnavailable)
    failing.mock.restore()
    assert.equal((await bytesBelow(root)).includes(refused), false)
    for (const each of [store, openStore(root)]) assert.equal(await each.head('c/full'), undefined)
  }
  await store.put('c/full', pieces(Buffer.from('room')))
  await assertAll(openStore(root), [...objects, ['c/full', Buffer.from('room')]])
  assert.equal((await getSegments(packs)).length, 2)
})

test(
  'a server that starts on a full disk reads every packed object and refuses writes',
  mayMount,
  async () => {
    const { root, packs } = await fresh()
    const unmount = smallDisk(root, 'size=2m')
    try {
      const writer = startWriter(root, 'a')
      while (writer.lines.length < 40) await new Promise((resolve) => setTimeout(resolve, 5))
      const closed = once(writer.child, 'close')
      writer.child.kill('SIGKILL')
      await closed
      const objects = writer.lines
        .map((line) => line.split(' ') as [string, string, string])
        .filter(([what, key]) => what === 'put' && !key.endsWith('-3'))
        .map(([, key, hex]): [string, Buffer] => [key, Buffer.from(hex, 'hex')])
      const index = join(packs, 'index.sqlite')
      // After a power cut, after an end in good order, and without an index.
      for (const lose of [() => rm(`${index}-shm`), () => openIndex(packs).close(), () => rm(index)]) {
        await lose()
        const filler = join(root, 'filler')
        assert.throws(() => writeFileSync(filler, Buffer.alloc(1 << 22)), { code: 'ENOSPC' })
        const store = openStore(root)
        await assertAll(store, objects)
        const keys = await getKeys(store)
        for (const [key] of objects) assert.ok(keys.includes(key), key)
        await assert.rejects(store.put('c/late', pieces(Buffer.from('late'))), ObjectStoreUnavailable)
        const [[first]] = objects as [[string, Buffer]]
        await assert.rejects(store.delete(first), ObjectStoreUnavailable)
        await assertAll(store, objects)
        // With room again, the same server writes.
        await rm(filler)
        await store.put('c/late', pieces(Buffer.from('late')))
        await store.delete('c/late')
        await assertAll(openStore(root), objects)
      }
    } finally {
      unmount()
    }
  },
)

test('a writer whose segment another process closes and cuts appends to a new one', async () => {
  const { store, root } = await fresh()
  const objects = await putMany(store, 'a', 3)
  const prototype = await handles()
  const { sync, truncate } = prototype
  const [isCut, hasWritten] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const late = randomBytes(300)
  let putting: Promise<unknown> | undefined
  const syncing = mock.method(prototype, 'sync', async function (this: unknown) {
    if (putting) hasWritten.resolve()
    if (putting) await isCut.promise
    return sync.apply(this, [])
  })
  const cutting = mock.method(prototype, 'truncate', async function (this: unknown, ...args: unknown[]) {
    // The bytes arrive after the other process has looked, and before it cuts the file.
    putting ??= store.put('late', pieces(late))
    await hasWritten.promise
    await truncate.apply(this, args)
    isCut.resolve()
  })
  await openStore(root).sweep(FUTURE)
  await putting
  for (const mocked of [syncing, cutting]) mocked.mock.restore()
  await assertAll(openStore(root), [...objects, ['late', late]])
})

test('a file and a packed object never share a key', async () => {
  const { store, root } = await fresh()
  const large = randomBytes(70_000)
  const results = await Promise.allSettled(
    [large, Buffer.from('small'), large].map((bytes, i) =>
      (i === 1 ? openStore(root) : store).put('c/p', pieces(bytes)),
    ),
  )
  assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1)
  await assert.rejects(store.put('c/p', pieces(Buffer.from('x'))), ObjectExists)
  await assert.rejects(store.put('c/p', pieces(large)), ObjectExists)
  assert.deepEqual(await getKeys(store), ['c/p'])
  await store.put('c/large', pieces(large))
  await assert.rejects(store.put('c/large', pieces(Buffer.from('x'))), ObjectExists)
  await assertAll(store, [['c/large', large]])
})

/** A process that puts objects, some under keys that all processes use, and prints each acknowledged one. */
function startWriter(root: string, name: string): { child: ChildProcess; lines: string[] } {
  const script = `
    const { filesystemStore } = await import(${JSON.stringify(new URL('./filesystem.ts', import.meta.url).href)})
    const { randomBytes } = await import('node:crypto')
    const store = filesystemStore({ root: ${JSON.stringify(root)}, base_url: '', upload_secret: Buffer.alloc(32), now: () => 0 })
    const say = (...words) => process.stdout.write(words.join(' ') + '\\n')
    for (let i = 0; ; i++) await Promise.all([0, 1, 2, 3].map(async (j) => {
      const key = j === 0 ? 'shared/' + i : '${name}/' + i + '-' + j
      const bytes = randomBytes(40)
      const source = async function* () { yield bytes }
      await store.put(key, source()).then(() => say('put', key, bytes.toString('hex')), (error) => {
        if (error.name !== 'ObjectExists') throw error
      })
      if (j === 3) { await store.delete(key); say('gone', key, bytes.toString('hex')) }
    }))`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines: string[] = []
  if (child.stdout) createInterface(child.stdout).on('line', (line) => lines.push(line))
  return { child, lines }
}

test('loses no acknowledged object and no deletion when writing processes are killed', async () => {
  const { root } = await fresh()
  const writers = ['a', 'b', 'c'].map((name) => startWriter(root, name))
  while (writers.some(({ lines }) => lines.length < 40)) {
    for (const { child } of writers) assert.equal(child.exitCode, null)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  const closed = writers.map(({ child }) => once(child, 'close'))
  for (const { child } of writers) child.kill('SIGKILL')
  await Promise.all(closed)
  const store = openStore(root)
  const lines = writers.flatMap(({ lines }) =>
    lines.map((line) => line.split(' ') as [string, string, string]),
  )
  const gone = new Map(lines.filter(([what]) => what === 'gone').map(([, key, hex]) => [key, hex]))
  const puts = lines.filter(([what, key]) => what === 'put' && !gone.has(key))
  assert.equal(new Set(puts.map(([, key]) => key)).size, puts.length, 'two writers own a key')
  // A killed process may have removed an object without saying so.
  for (const [, key, hex] of puts)
    if (!key.endsWith('-3')) assert.equal((await collect(store.read(key))).toString('hex'), hex, key)
  const left = await bytesBelow(root)
  for (const [key, hex] of gone) {
    assert.equal(await store.head(key), undefined)
    assert.equal(left.includes(Buffer.from(hex, 'hex')), false, key)
  }
  assert.ok(gone.size > 10)
})
