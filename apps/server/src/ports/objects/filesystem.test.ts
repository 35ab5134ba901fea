import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, mock, test } from 'node:test'
import { broken, fileHandle, linux, watchSyncs } from '../../testing/syncs.ts'
import { type FilesystemObjectStore, filesystemStore } from './filesystem.ts'
import { PACKED_UP_TO } from './packs.ts'
import { collect, conformance, pieces, sha256 } from './port.conformance.ts'
import { ContentMismatch, ObjectExists, ObjectStoreUnavailable, UploadForbidden } from './port.ts'

let clock = 1_000_000
const folder = await mkdtemp(join(tmpdir(), 'custodia-objects-'))
after(() => rm(folder, { recursive: true, force: true }))

async function emptyStore(below = '') {
  const root = join(await mkdtemp(join(folder, 'store-')), below)
  const upload_secret = Buffer.alloc(32, 7)
  const open = (): FilesystemObjectStore =>
    filesystemStore({ root, base_url: 'https://portal.example', upload_secret, now: () => clock })
  // Two stores on one folder share no state, like two processes.
  return { root, store: open(), secondProcess: open() }
}

/** Too large to be packed. */
const FILE = randomBytes(PACKED_UP_TO + 1)

const filesBelow = async (root: string) =>
  (await readdir(root, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())

conformance('filesystem', { skip: false }, async () => (await emptyStore()).store)

for (const [what, method, code] of [
  ['a full disk', 'writeFile', 'ENOSPC'],
  ['a failing fsync', 'sync', 'EIO'],
] as const) {
  test(`reports ${what} as ObjectStoreUnavailable, leaves no file and does not retry`, async () => {
    const { store, root } = await emptyStore()
    const failing = mock.method(await fileHandle(), method, () => Promise.reject(broken(code)))
    try {
      await assert.rejects(store.put('a/b', pieces(FILE)), ObjectStoreUnavailable)
      assert.equal(failing.mock.callCount(), 1)
      await assert.rejects(store.health(), ObjectStoreUnavailable)
    } finally {
      failing.mock.restore()
    }
    assert.deepEqual(await filesBelow(root), [])
    await store.put('a/b', pieces(FILE))
  })
}

/** Every folder of an object, from the root of its store. */
const getFolders = (root: string, key: string) =>
  ['.', 'objects', ...key.split('/').slice(0, -1)].map((_, at, all) => join(root, ...all.slice(0, at + 1)))

test(
  'refuses an upload whose folder cannot be synced but keeps the object for its readers',
  linux,
  async () => {
    const bytes = FILE
    const { store, upload, grant, root } = await granted(bytes)
    const folders = getFolders(root, grant.key)
    for (const failing of folders) {
      const syncs = await watchSyncs((path, real) =>
        path === failing ? Promise.reject(broken('EIO')) : real(),
      )
      try {
        const sent = store.receiveUpload(upload, pieces(bytes), bytes.length)
        await assert.rejects(sent, ObjectStoreUnavailable, failing)
      } finally {
        syncs.restore()
      }
      assert.ok((await collect(store.read(grant.key))).equals(bytes))
    }
    const syncs = await watchSyncs()
    await store.receiveUpload(upload, pieces(bytes), bytes.length).finally(() => syncs.restore())
    const [file = ''] = (await filesBelow(join(root, 'objects'))).map((each) =>
      join(each.parentPath, each.name),
    )
    for (const path of [file, ...folders]) assert.ok(syncs.paths.includes(path), path)
  },
)

test(
  'accepts a repeated upload while the first one waits for a folder sync that then fails',
  linux,
  async () => {
    const bytes = FILE
    const { store, upload, grant, root, secondProcess } = await granted(bytes)
    const [folder] = getFolders(root, grant.key).slice(-1)
    const hangs = Promise.withResolvers<void>()
    const reached = Promise.withResolvers<void>()
    let isFirst = true
    const syncs = await watchSyncs((path, real) => {
      if (path !== folder || !isFirst) return real()
      isFirst = false
      reached.resolve()
      return hangs.promise
    })
    try {
      const first = store.receiveUpload(upload, pieces(bytes), bytes.length)
      await reached.promise
      syncs.paths.length = 0
      await secondProcess.receiveUpload(upload, pieces(bytes), bytes.length)
      for (const path of getFolders(root, grant.key)) assert.ok(syncs.paths.includes(path), path)
      const inLine = store.receiveUpload(upload, pieces(bytes), bytes.length)
      hangs.reject(broken('EIO'))
      await assert.rejects(first, ObjectStoreUnavailable)
      await inLine
    } finally {
      syncs.restore()
    }
    assert.ok((await collect(store.read(grant.key))).equals(bytes))
  },
)

test('makes the folders above a new store durable before its first object', linux, async () => {
  const { root, store } = await emptyStore('new/data/objects')
  const syncs = await watchSyncs()
  await store.put('a/b', pieces(FILE)).finally(() => syncs.restore())
  for (const above of [folder, join(root, '..'), join(root, '../..'), join(root, '../../..')])
    assert.ok(syncs.paths.includes(above), above)
})

test('removes empty folders after deletes without disturbing concurrent writes', async () => {
  const { store, root } = await emptyStore()
  const busy = Array.from({ length: 40 }, async (_, n) => {
    const key = `client/shared/${n}`
    await store.put(key, pieces(FILE))
    await store.delete(key)
  })
  await Promise.all(busy)
  assert.deepEqual(await readdir(join(root, 'objects'), { recursive: true }), ['client'])
})

test(
  'syncs a permanent folder only once, and all other folders again with each new object',
  linux,
  async () => {
    const { root, store, secondProcess } = await emptyStore()
    const getSyncs = async (by: FilesystemObjectStore, key: string) => {
      const syncs = await watchSyncs()
      await by.put(key, pieces(FILE)).finally(() => syncs.restore())
      return getFolders(root, key).map((folder) => syncs.paths.includes(folder))
    }
    // Each of: the root, `objects`, the client's folder, the payload's.
    assert.deepEqual(await getSyncs(store, 'c/1/a'), [true, true, true, true])
    assert.deepEqual(await getSyncs(store, 'c/1/b'), [false, false, true, true])
    assert.deepEqual(await getSyncs(store, 'd/1/a'), [false, true, true, true])
    await store.delete('d/1/a')
    assert.deepEqual(await getSyncs(store, 'd/1/a'), [false, false, true, true])
    assert.deepEqual(await getSyncs(secondProcess, 'd/2/a'), [true, true, true, true])
  },
)

test('rejects later writes too while a folder cannot be synced', linux, async () => {
  for (const at of [0, 1]) {
    const { root, store } = await emptyStore()
    const failing = getFolders(root, 'c/1/a')[at]
    const syncs = await watchSyncs((path, real) =>
      path === failing ? Promise.reject(broken('EIO')) : real(),
    )
    try {
      for (const key of ['c/1/a', 'c/2/a'])
        await assert.rejects(store.put(key, pieces(FILE)), ObjectStoreUnavailable)
    } finally {
      syncs.restore()
    }
  }
})

test('sweep removes only parts older than the given time', async () => {
  const { store, root } = await emptyStore()
  await store.put('a/b', pieces(Buffer.from('x')))
  await mkdir(join(root, 'parts'), { recursive: true })
  for (const name of ['old.part', 'new.part', 'old.txt']) await writeFile(join(root, 'parts', name), 'x')
  for (const name of ['old.part', 'old.txt']) await utimes(join(root, 'parts', name), 1000, 1000)
  assert.deepEqual([await store.leftovers(500), await store.leftovers(2000)], [0, 1])
  assert.equal(await store.sweep(2000), 1)
  assert.deepEqual((await readdir(join(root, 'parts'))).toSorted(), ['new.part', 'old.txt'])
  assert.deepEqual(await store.head('a/b'), { size: 1 })
})

async function granted(bytes: Buffer, key = 'c/p/original') {
  const { store, root, secondProcess } = await emptyStore()
  const grant = { key, size: bytes.length, sha256: sha256(bytes), expires_at: clock + 60 }
  const { url } = await store.uploadAddress(grant)
  const prefix = 'https://portal.example/device/v1/uploads/'
  assert.ok(url.startsWith(prefix))
  const token = url.slice(prefix.length)
  return { store, root, secondProcess, grant, token, upload: store.verifyUpload(token) }
}

test('accepts the granted upload and an identical repeat', async () => {
  const bytes = randomBytes(300_000)
  const { store, upload, grant } = await granted(bytes)
  for (let times = 0; times < 2; times++) {
    await store.receiveUpload(upload, pieces(bytes), bytes.length)
    assert.deepEqual(await store.head(grant.key), { size: bytes.length })
  }
  assert.ok((await collect(store.read(grant.key))).equals(bytes))
})

test('accepts the same upload several times at once through several processes', async () => {
  const bytes = randomBytes(300_000)
  const { store, secondProcess, upload, grant } = await granted(bytes)
  const stores = [store, secondProcess, store, secondProcess, store]
  await Promise.all(stores.map((each) => each.receiveUpload(upload, pieces(bytes), bytes.length)))
  assert.ok((await collect(store.read(grant.key))).equals(bytes))
})

test('refuses an upload of wrong length or digest, before and after the right one', async () => {
  const bytes = randomBytes(1000)
  const other = randomBytes(1000)
  const { store, root, upload } = await granted(bytes)
  const refused = async () => {
    const is = (code: string) => (error: unknown) => error instanceof ContentMismatch && error.code === code
    await assert.rejects(store.receiveUpload(upload, pieces(other), 1000), is('wrong_checksum'))
    await assert.rejects(store.receiveUpload(upload, pieces(bytes), 1001), is('wrong_size'))
    await assert.rejects(store.receiveUpload(upload, pieces(bytes), undefined), is('wrong_size'))
    await assert.rejects(store.receiveUpload(upload, pieces(bytes.subarray(1)), 1000), is('wrong_size'))
    await assert.rejects(
      store.receiveUpload(upload, pieces(Buffer.concat([bytes, other])), 1000),
      is('wrong_size'),
    )
  }
  await refused()
  assert.deepEqual(await filesBelow(root), [])
  await store.receiveUpload(upload, pieces(bytes), 1000)
  await refused()
})

test('refuses an upload to a key with other content', async () => {
  const bytes = randomBytes(1000)
  const { store, upload, grant } = await granted(bytes)
  await store.put(grant.key, pieces(randomBytes(1000)))
  await assert.rejects(store.receiveUpload(upload, pieces(bytes), 1000), ObjectExists)
})

test('refuses forged, altered and expired upload addresses', async () => {
  const bytes = randomBytes(10)
  const { store, token } = await granted(bytes)
  const [body = '', signature = ''] = token.split('.')
  const other = Buffer.from(JSON.stringify(['c/q', 10, sha256(bytes), clock + 60])).toString('base64url')
  for (const forged of [
    '',
    '.',
    body,
    `${body}.`,
    `${other}.${signature}`,
    `${token}.x`,
    `${token}=`,
    `${body}.${'A'.repeat(43)}`,
  ]) {
    assert.throws(() => store.verifyUpload(forged), UploadForbidden, forged)
  }
  clock += 60
  assert.throws(() => store.verifyUpload(token), UploadForbidden)
})

test('answers the device with status 503 when the disk fills up during an upload', async () => {
  const bytes = randomBytes(6 << 20)
  const { store, upload } = await granted(bytes)
  const server = createServer((request, response) => {
    const length = Number(request.headers['content-length'])
    store.receiveUpload(upload, request, length).then(
      () => response.end(),
      (error: Error) => {
        response.writeHead(503, { connection: 'close' }).end(error.name)
      },
    )
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const put = () => fetch(`http://127.0.0.1:${port}/`, { method: 'PUT', body: bytes })
  const failing = mock.method(await fileHandle(), 'writeFile', () => Promise.reject(broken('ENOSPC')))
  try {
    const full = await put()
    assert.deepEqual([full.status, await full.text()], [503, 'ObjectStoreUnavailable'])
    failing.mock.restore()
    assert.equal((await put()).status, 200)
  } finally {
    failing.mock.restore()
    server.close()
  }
})
