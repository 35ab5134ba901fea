import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, open, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, mock, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { LONG } from '../../../testing/long.ts'
import { broken, fileHandle, linux } from '../../../testing/syncs.ts'
import { localFileKeys } from '../local-file.ts'
import { KeysUnavailable, KeyUnknown } from '../port.ts'
import { HALF, HEAD, getPlace, SLOT } from './layout.ts'

const at = (reference: string) => ({ client: 'c-1', purpose: 'dek', reference })
const atOnce = async () => undefined
const top = await mkdtemp(join(tmpdir(), 'custodia-slots-'))
after(() => rm(top, { recursive: true, force: true }))

async function fresh() {
  const folder = join(await mkdtemp(join(top, 'k-')), 'keys')
  return {
    folder,
    slots: join(folder, 'slots'),
    keys: localFileKeys({ folder }),
    reopen: () => localFileKeys({ folder }),
  }
}

/** All bytes of a folder, file after file. */
async function getBytes(folder: string): Promise<Buffer> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  return Buffer.concat(await Promise.all(files.map((file) => readFile(join(file.parentPath, file.name)))))
}

test('keeps every key readable after a rotation and destroys the former key version', async () => {
  const { keys, reopen, slots } = await fresh()
  const deks = Array.from({ length: 1200 }, () => randomBytes(32))
  const names = await Promise.all(deks.map((dek, i) => keys.put(dek, at(`${i}`))))
  const elsewhere = reopen()
  assert.deepEqual(await elsewhere.unwrap(names[7] as Buffer, at('7')), deks[7])
  const [first = ''] = (await readdir(slots)).filter((name) => name.startsWith('epoch-'))
  const earlier = await readFile(join(slots, first))
  const begun = Number(first.slice('epoch-'.length, -'.key'.length))
  for (const epoch of [begun + 1, begun + 2, begun + 3]) {
    const rolled = await reopen().roll(atOnce)
    assert.deepEqual(rolled, { epoch, resealed: 1200, wiped: 0, damaged: 0, erased: [epoch - 1] })
    for (const one of [keys, elsewhere, reopen()])
      for (let i = 0; i < names.length; i += 60)
        assert.deepEqual(await one.unwrap(names[i] as Buffer, at(`${i}`)), deks[i])
  }
  assert.equal((await getBytes(slots)).includes(earlier), false)
  assert.equal((await keys.keyVersionsMadeAt()).length, 1)
})

test('leaves no trace of a destroyed key after a rotation, even in a restored old segment', async () => {
  const { keys, reopen, folder, slots } = await fresh()
  const dek = randomBytes(32)
  const [name, kept] = await Promise.all([keys.put(dek, at('gone')), keys.put(dek, at('kept'))])
  const { segment, index } = getPlace(name)
  const path = join(slots, `${segment}.slots`)
  const copy = await readFile(path)
  const sealed = copy.subarray(index * SLOT + HEAD, index * SLOT + HEAD + HALF)
  assert.ok((await getBytes(folder)).includes(sealed))
  await keys.forget([name])
  assert.equal((await getBytes(folder)).includes(sealed), false)
  await keys.roll(atOnce)
  for (const [what, bytes] of [
    ['plain', dek],
    ['sealed', sealed],
  ] as const)
    assert.equal((await getBytes(folder)).includes(bytes), false, what)
  assert.deepEqual(await keys.unwrap(kept, at('kept')), dek)
  await writeFile(path, copy)
  await assert.rejects(reopen().unwrap(name, at('gone')), KeyUnknown)
})

test('keeps a key destroyed when an interrupted rotation seals its slot again', async () => {
  const { keys, reopen, slots } = await fresh()
  const name = await keys.put(randomBytes(32), at('p'))
  const path = join(slots, `${getPlace(name).segment}.slots`)
  const half = (await readFile(path)).subarray(HEAD, HEAD + HALF)
  await keys.forget([name])
  // The state that a process leaves when it is killed between read and write of the slot.
  const file = await open(path, 'r+')
  await file.write(half, 0, HALF, HEAD + HALF)
  await file.close()
  await assert.rejects(reopen().unwrap(name, at('p')), KeyUnknown)
  assert.equal((await reopen().roll(atOnce)).wiped, 1)
  assert.equal((await getBytes(slots)).includes(half), false)
})

test('keeps a new key readable when its process learns late of a rotation', async () => {
  const { keys, reopen } = await fresh()
  await keys.put(randomBytes(32), at('first'))
  // This process looks for other key versions every ten seconds, so it does not know these yet.
  await reopen().roll(atOnce)
  const dek = randomBytes(32)
  const name = await keys.put(dek, at('late'))
  await reopen().roll(atOnce)
  assert.deepEqual(await keys.unwrap(name, at('late')), dek)
  assert.deepEqual(await reopen().unwrap(name, at('late')), dek)
})

test('refuses to write new keys when all versions of the slot key are missing', async () => {
  const { keys, reopen, slots } = await fresh()
  const name = await keys.put(randomBytes(32), at('p'))
  for (const each of await readdir(slots)) if (each.startsWith('epoch-')) await rm(join(slots, each))
  await assert.rejects(reopen().put(randomBytes(32), at('q')), KeysUnavailable)
  await assert.rejects(reopen().forget([name]), KeysUnavailable)
  await assert.rejects(reopen().unwrap(name, at('p')), KeyUnknown)
})

test('acknowledges no write on a full disk or failed sync and keeps acknowledged keys intact', async () => {
  const { keys, reopen } = await fresh()
  const dek = randomBytes(32)
  const name = await keys.put(dek, at('p'))
  type Handle = { write(...of: unknown[]): Promise<{ bytesWritten: number }>; datasync(): Promise<void> }
  const handle = (await fileHandle()) as unknown as Handle
  const write = handle.write
  const failures: [what: keyof Handle, instead: (this: Handle, ...of: unknown[]) => Promise<never>][] = [
    ['write', () => Promise.reject(broken('ENOSPC'))],
    [
      'write',
      async function (bytes, offset, _length, position) {
        await write.call(this, bytes, offset, 50, position)
        throw broken('ENOSPC')
      },
    ],
    ['datasync', () => Promise.reject(broken('EIO'))],
  ]
  for (const [what, instead] of failures) {
    const mocked = mock.method(handle, what, instead as never)
    const refused = [keys.put(dek, at('q')), keys.put(dek, at('r')), keys.forget([name])]
    const settled = await Promise.allSettled(refused).finally(() => mocked.mock.restore())
    for (const each of settled)
      assert.ok(each.status === 'rejected' && each.reason instanceof KeysUnavailable, what)
    const later = await keys.put(dek, at('s'))
    assert.deepEqual(await reopen().unwrap(later, at('s')), dek)
  }
  await keys.forget([name])
  await keys.roll(atOnce)
  await assert.rejects(reopen().unwrap(name, at('p')), KeyUnknown)
  // A short write is completed by further ones.
  const short = mock.method(handle, 'write', function (
    this: Handle,
    bytes: unknown,
    offset: unknown,
    length: number,
    position: unknown,
  ) {
    return write.call(this, bytes, offset, Math.min(length, 40), position)
  } as never)
  const whole = await keys.put(dek, at('t')).finally(() => short.mock.restore())
  assert.deepEqual(await reopen().unwrap(whole, at('t')), dek)
})

test('keeps the other half of a slot when a rotation writes one half incompletely', async () => {
  const { keys, reopen } = await fresh()
  const dek = randomBytes(32)
  const name = await keys.put(dek, at('p'))
  type Handle = { write(...of: unknown[]): Promise<{ bytesWritten: number }> }
  const handle = (await fileHandle()) as unknown as Handle
  const write = handle.write
  const torn = mock.method(handle, 'write', async function (
    this: Handle,
    bytes: unknown,
    offset: unknown,
    length: number,
    position: unknown,
  ) {
    if (length !== HALF) return write.call(this, bytes, offset, length, position)
    await write.call(this, bytes, offset, 20, position)
    throw broken('EIO')
  } as never)
  await assert.rejects(reopen().roll(atOnce), KeysUnavailable).finally(() => torn.mock.restore())
  assert.deepEqual(await reopen().unwrap(name, at('p')), dek)
  assert.equal((await reopen().roll(atOnce)).resealed, 1)
  assert.deepEqual(await reopen().unwrap(name, at('p')), dek)
})

test('finds keys that are missing or not wiped', async () => {
  const { keys, reopen, slots } = await fresh()
  const put = (reference: string) => keys.put(randomBytes(32), at(reference))
  const names = await Promise.all(['a', 'b', 'c', 'd'].map(put))
  const [a, b, c, d] = names as [Buffer, Buffer, Buffer, Buffer]
  const other = await reopen().put(randomBytes(32), at('e'))
  const wrapped = await keys.wrap(randomBytes(32), at('f'))
  const all = [...names, other, wrapped]
  assert.deepEqual(await keys.missing(all), [])
  await keys.forget([b])
  const path = join(slots, `${getPlace(a).segment}.slots`)
  const file = await open(path, 'r+')
  await file.write(Buffer.alloc(SLOT), 0, SLOT, getPlace(c).index * SLOT)
  await file.write(randomBytes(4), 0, 4, getPlace(d).index * SLOT + HEAD)
  await file.close()
  await rm(join(slots, `${getPlace(other).segment}.slots`))
  assert.deepEqual(
    (await reopen().missing(all)).toSorted(Buffer.compare),
    [b, c, d, other].toSorted(Buffer.compare),
  )
  assert.equal(await keys.unwiped(), 0)
  const again = await open(path, 'r+')
  await again.write(randomBytes(4), 0, 4, getPlace(b).index * SLOT + HEAD)
  await again.close()
  assert.equal(await keys.unwiped(), 1)
})

test('rewraps the slot key under a new master key', async () => {
  const { keys, reopen } = await fresh()
  const dek = randomBytes(32)
  const name = await keys.put(dek, at('p'))
  const moved = await keys.move(await keys.wrap(dek, at('q')), at('q'))
  assert.ok(moved)
  assert.equal(await keys.move(moved, at('q')), undefined)
  await keys.rotate()
  assert.equal(await keys.rewrapFiles(), 1)
  assert.equal(await keys.rewrap(name, at('p')), undefined)
  await keys.retire(1)
  for (const [each, reference] of [
    [name, 'p'],
    [moved, 'q'],
  ] as const)
    assert.deepEqual(await reopen().unwrap(each, at(reference)), dek)
})

const module = new URL('../local-file.ts', import.meta.url).href
/** A process of its own over the folder; it prints each acknowledged key as a line. */
function start(folder: string, what: string): { child: ChildProcess; lines: string[] } {
  const script = `
    import { randomBytes } from 'node:crypto'
    const { setTimeout: pause } = await import('node:timers/promises')
    const { localFileKeys } = await import(${JSON.stringify(module)})
    const keys = localFileKeys({ folder: ${JSON.stringify(folder)} })
    const at = (reference) => ({ client: 'c-1', purpose: 'dek', reference })
    const say = (...words) => process.stdout.write(words.join(' ') + '\\n')
    ${what}`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines: string[] = []
  if (child.stdout) createInterface(child.stdout).on('line', (line) => lines.push(line))
  return { child, lines }
}

const PUTS = `
  for (let i = 0; ; i++) await Promise.all(Array.from({ length: 8 }, async (_, j) => {
    const dek = randomBytes(32), reference = process.pid + '-' + i + '-' + j
    const name = await keys.put(dek, at(reference))
    if (j > 0 || i % 2) return say('kept', reference, name.toString('hex'), dek.toString('hex'))
    await keys.forget([name])
    say('gone', reference, name.toString('hex'), dek.toString('hex'))
  })).then(() => pause(4))`
const ROLLS = `for (;;) { const { epoch } = await keys.roll(async () => undefined); say('rolled', epoch); await pause(20) }`

test('loses no acknowledged change when processes are killed during writes and rotations', async () => {
  const { folder, keys, reopen } = await fresh()
  await keys.put(randomBytes(32), at('first'))
  const stated: string[] = []
  for (let round = 0; round < (LONG ? 10 : 1); round++) {
    const started = [start(folder, PUTS), start(folder, PUTS), start(folder, ROLLS)]
    const first = started.map(async ({ lines, child }) => {
      while (lines.length < 2) {
        assert.equal(child.exitCode, null)
        await pause(5)
      }
    })
    await Promise.all(first)
    await pause(20 + round * 17)
    const closed = started.map(({ child }) => once(child, 'close'))
    for (const { child } of started.toReversed()) assert.ok(child.kill('SIGKILL'))
    await Promise.all(closed)
    // Too many on a slow machine to be arguments of one call.
    for (const { lines } of started) for (const line of lines) stated.push(line)
    if (round % 2) await reopen().roll(atOnce)
  }
  assert.ok((await reopen().roll(atOnce)).erased.length > 0)
  const counts = { kept: 0, gone: 0, rolled: 0 }
  const left = await getBytes(folder)
  const after = reopen()
  for (const [i, line] of stated.entries()) {
    const [what = '', reference = '', name = '', dek = ''] = line.split(' ')
    counts[what as keyof typeof counts]++
    if (what === 'rolled') continue
    if (i % 100 === 0) assert.equal(left.includes(Buffer.from(dek, 'hex')), false, 'a key in the clear')
    const opening = after.unwrap(Buffer.from(name, 'hex'), at(reference))
    if (what === 'kept') assert.equal((await opening).toString('hex'), dek, line)
    else await assert.rejects(opening, KeyUnknown, line)
  }
  assert.ok(counts.kept > 5 && counts.gone > 0 && counts.rolled > 0, JSON.stringify(counts))
})

test('opens a segment once for keys that are read in quick succession, and closes it', linux, async () => {
  const { keys, slots } = await fresh()
  const names = await Promise.all(Array.from({ length: 20 }, (_, i) => keys.put(randomBytes(32), at(`${i}`))))
  const openFiles = async () => {
    const files = (await readdir('/proc/self/fd')).map((fd) =>
      readlink(`/proc/self/fd/${fd}`).catch(() => ''),
    )
    return (await Promise.all(files)).filter((path) => path.startsWith(slots)).length
  }
  await Promise.all(names.map((name, i) => keys.unwrap(name, at(`${i}`))))
  assert.equal(await openFiles(), 1)
  await pause(200)
  assert.equal(await openFiles(), 0)
})
