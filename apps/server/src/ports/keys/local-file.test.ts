import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomBytes, verify } from 'node:crypto'
import {
  appendFile,
  chmod,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  truncate,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { broken, linux, watchSyncs } from '../../testing/syncs.ts'
import { type DestructionLedger, ledgerFiles, type Mark } from './ledger/files.ts'
import { localFileKeys } from './local-file.ts'
import { conformance } from './port.conformance.ts'
import { KeysUnavailable, KeyUnknown } from './port.ts'

const run = promisify(execFile)
const context = { client: 'c-1', purpose: 'dek', reference: 'p-1' }
const top = await mkdtemp(join(tmpdir(), 'custodia-keys-'))
after(() => rm(top, { recursive: true, force: true }))

async function fresh() {
  const folder = join(await mkdtemp(join(top, 'k-')), 'keys')
  return { folder, keys: localFileKeys({ folder }), reopen: () => localFileKeys({ folder }) }
}

conformance('local file', { skip: false }, fresh)

test('reads the signing key once, and again after another process has replaced it', linux, async () => {
  const { keys, reopen } = await fresh()
  const old = await keys.sign(Buffer.from('1'))
  const again = await keys.sign(Buffer.from('2'))
  const syncs = await watchSyncs()
  assert.equal((await keys.sign(Buffer.from('3')).finally(() => syncs.restore())).key_id, again.key_id)
  assert.deepEqual(syncs.paths, [])
  const key_id = await reopen().rotateSigning()
  assert.notEqual(key_id, old.key_id)
  assert.equal((await keys.sign(Buffer.from('4'))).key_id, key_id)
})

test('signs with a new key after a rotation and still verifies older signatures', async () => {
  const { folder, keys, reopen } = await fresh()
  const bytes = randomBytes(20)
  const old = await keys.sign(bytes)
  const key_id = await keys.rotateSigning()
  const recent = await reopen().sign(bytes)
  assert.deepEqual([recent.key_id, old.key_id === key_id], [key_id, false])
  const there = await keys.verificationKeys()
  assert.deepEqual(
    there.map((each) => each.key_id),
    [old.key_id, key_id],
  )
  for (const { key_id: by, signature } of [old, recent])
    assert.ok(verify(null, bytes, there.find((each) => each.key_id === by)?.public_key_pem ?? '', signature))
  const files = await Promise.all(
    (await readdir(join(folder, 'signing'))).map((name) => readFile(join(folder, 'signing', name), 'utf8')),
  )
  assert.equal(
    files.filter((file) => file.includes('sealed')).length,
    1,
    'of the former no private key is left',
  )
  // Under another master key it still signs.
  const version = await keys.rotate()
  assert.equal(await keys.rewrapFiles(), 1)
  await keys.retire(version - 1)
  assert.equal((await reopen().sign(bytes)).key_id, key_id)
})

test('opens values sealed before and after a rotation, also in running processes', async () => {
  const { keys, reopen } = await fresh()
  const neighbour = reopen()
  const secret = randomBytes(32)
  const old = await keys.wrap(secret, context)
  await neighbour.unwrap(old, context)
  assert.equal(await keys.rotate(), 2)
  const recent = await keys.wrap(secret, context)
  assert.equal(recent.readUInt32BE(1), 2)
  for (const one of [keys, neighbour, reopen()]) {
    assert.deepEqual(await one.unwrap(old, context), secret)
    assert.deepEqual(await one.unwrap(recent, context), secret)
  }
  const late = reopen()
  await late.unwrap(old, context)
  assert.equal((await late.wrap(secret, context)).readUInt32BE(1), 2)
})

test('looks once for the newest master key when many secrets are sealed together', async () => {
  const { folder } = await fresh()
  let looks = 0
  const isInUse = async () => (looks++, false)
  const keys = localFileKeys({ folder, isInUse })
  await Promise.all(Array.from({ length: 100 }, () => keys.wrap(randomBytes(32), context)))
  assert.equal(looks, 1)
})

test('agrees on every key when processes start together on an empty folder', async () => {
  const { folder } = await fresh()
  const module = new URL('./local-file.ts', import.meta.url).href
  const script = `
    const { localFileKeys } = await import(${JSON.stringify(module)})
    const keys = localFileKeys({ folder: ${JSON.stringify(folder)} })
    const blob = await keys.wrap(Buffer.from('x'), ${JSON.stringify(context)})
    console.log((await keys.namedSecret('one')).toString('hex') + ' ' + blob.toString('hex'))`
  const started = Array.from({ length: 4 }, () =>
    run(process.execPath, ['--input-type=module', '-e', script]),
  )
  const lines = (await Promise.all(started)).map(({ stdout }) => stdout.trim().split(' '))
  assert.equal(new Set(lines.map(([secret]) => secret)).size, 1)
  for (const [, blob = ''] of lines) {
    const opened = await localFileKeys({ folder }).unwrap(Buffer.from(blob, 'hex'), context)
    assert.equal(opened.toString(), 'x')
  }
})

test('writes complete key files that only their owner can access', async () => {
  const { folder, keys } = await fresh()
  await keys.createKek('c-1')
  await keys.namedSecret('one')
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  assert.equal(entries.filter((entry) => entry.isFile()).length, 3)
  for (const entry of entries) {
    const { mode } = await stat(join(entry.parentPath, entry.name))
    assert.equal(mode & 0o077, 0, entry.name)
    assert.ok(!entry.name.endsWith('.part'))
  }
})

test('fails when the master key is readable by others, truncated or missing', async () => {
  const { folder, keys, reopen } = await fresh()
  const blob = await keys.wrap(randomBytes(32), context)
  await keys.namedSecret('one')
  const path = join(folder, 'master-000001.key')
  await chmod(path, 0o644)
  await assert.rejects(reopen().unwrap(blob, context), /mode to 0600/)
  await chmod(path, 0o600)
  await truncate(path, 31)
  await assert.rejects(reopen().unwrap(blob, context), KeysUnavailable)
  await rm(path)
  await assert.rejects(reopen().unwrap(blob, context), KeyUnknown)
  await assert.rejects(reopen().wrap(blob, context), KeysUnavailable)
  await assert.rejects(reopen().health(), KeysUnavailable)
})

test(
  'seals nothing with a master key before the key is durable, even after an interrupted creation',
  linux,
  async () => {
    const { folder, keys, reopen } = await fresh()
    for (const failing of [folder, join(folder, '..'), join(folder, 'master-000001.key')]) {
      const syncs = await watchSyncs((path, real) =>
        path === failing ? Promise.reject(broken('EIO')) : real(),
      )
      await assert
        .rejects(reopen().wrap(randomBytes(32), context), KeysUnavailable, failing)
        .finally(syncs.restore)
    }
    await keys.wrap(randomBytes(32), context)
    assert.deepEqual(await readdir(folder), ['master-000001.key'])
  },
)

async function read(ledger: DestructionLedger, from: Mark): Promise<string[]> {
  const lines: string[] = []
  for await (const { json } of ledger.read(from)) lines.push(json)
  return lines
}

test('lets several processes append at once and reads on from a known position', async () => {
  const folder = join(top, 'concurrent')
  const [one, other] = [ledgerFiles(folder), ledgerFiles(folder)]
  assert.equal((await one.sizes()).size, 0)
  const long = JSON.stringify({ long: 'ä'.repeat(100_000) })
  const [first] = await Promise.all([
    one.append(['{"a":1}']),
    one.append(['{"a":2}', long]),
    other.append(['{"b":1}']),
  ])
  const mark = await one.append(['{"a":3}'])
  assert.equal(mark.file, first.file)
  const sizes = await ledgerFiles(folder).sizes()
  assert.equal(sizes.size, 2)
  assert.equal(sizes.get(mark.file), mark.bytes)
  assert.deepEqual(await read(other, one.start(mark.file)), ['{"a":1}', '{"a":2}', long, '{"a":3}'])
  assert.deepEqual(await read(other, first), ['{"a":2}', long, '{"a":3}'])
  assert.deepEqual(await read(other, mark), [])
  assert.equal((await stat(join(folder, `${mark.file}.ledger`))).mode & 0o777, 0o600)
})

test('stops reading at a line that was altered, removed or cut off', async () => {
  const folder = join(top, 'altered')
  const ledger = ledgerFiles(folder)
  const { file } = await ledger.append(['{"n":1}', '{"n":2}', '{"n":3}'])
  const path = join(folder, `${file}.ledger`)
  const whole = await readFile(path, 'utf8')
  const [one = '', two = '', three = ''] = whole.split('\n')
  for (const [content, left] of [
    [whole.replace('{"n":2}', '{"n":9}'), 1],
    [`${one}\n${three}\n`, 1],
    [`${two}\n${three}\n`, 0],
    [whole.slice(0, -4), 2],
    [whole, 3],
  ] as const) {
    await writeFile(path, content)
    assert.equal((await read(ledger, ledger.start(file))).length, left)
  }
  await appendFile(path, 'x')
  assert.equal((await read(ledger, ledger.start(file))).length, 3)
})

test('starts another file after a failed write', async () => {
  const folder = join(top, 'failed')
  const ledger = ledgerFiles(folder)
  const { file } = await ledger.append(['{"n":1}'])
  await rm(join(folder, `${file}.ledger`))
  await assert.rejects(ledger.append(['{"n":2}']), { code: 'ENOENT' })
  const mark = await ledger.append(['{"n":3}'])
  assert.notEqual(mark.file, file)
  assert.deepEqual(await read(ledger, ledger.start(mark.file)), ['{"n":3}'])
  await truncate(join(folder, `${mark.file}.ledger`), 0)
  assert.deepEqual(await read(ledger, ledger.start(mark.file)), [])
})
