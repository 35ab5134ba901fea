import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { findProgram } from '../../../testing/daemon.ts'
import { longOnly } from '../../../testing/long.ts'
import { requirePart } from '../../../testing/require-part.ts'
import { briefPieces } from '../port.conformance.ts'
import { type DeliveryFormat, type DeliveryItem, TargetProblem } from '../port.ts'
import { kept, releaseAfterUse } from '../release-after-use.ts'
import { pgpKeyFacts } from './pgp.ts'
import { wrapped } from './wrap.ts'
import { zip } from './zip.ts'

const run = promisify(execFile)
const PASSWORD = 'correct horse, não é? staple'
const PART = 1 << 20
/** Some are as long as one or two OpenPGP parts, with the headers of the inner and the outer packet. */
const CONTENTS = [0, PART - 7, PART - 6, PART - 54, 3_333_333].map((size) => randomBytes(size))

let folder: string
before(async () => void (folder = await mkdtemp(join(tmpdir(), 'custodia-formats-'))))
after(() => rm(folder, { recursive: true, force: true }))

const ZIPPED = [CONTENTS[0]!, CONTENTS[4]!]

/** The content in pieces of odd sizes. */
const pieces = (content: Buffer) => briefPieces(content, (last) => (last === 0 ? 1 : (last * 7) % 70_001))

const item = (content: Buffer, path: string, format: DeliveryFormat): DeliveryItem => ({
  path,
  async *open() {
    yield* pieces(content)
  },
  sha256: createHash('sha256').update(content).digest('hex'),
  size: content.length,
  format,
})

async function file(name: string, content: AsyncIterable<Uint8Array>): Promise<string> {
  const path = join(folder, name)
  await pipeline(kept(content), createWriteStream(path))
  return path
}

test('delivers unchanged bytes and rejects a source that differs from its announcement', async () => {
  const content = randomBytes(100_000)
  const good = item(content, 'a/b.opus', { type: 'Uncompressed' })
  assert.deepEqual(await buffer(kept(wrapped(good))), content)
  for (const wrong of [{ size: 99_999 }, { size: 100_001 }, { sha256: '00'.repeat(32) }]) {
    for (const format of [
      { type: 'Uncompressed' },
      { type: 'Zipped' },
      { type: 'ZippedWithPassword', password: 'x' },
    ] as const) {
      // The writer of an unwrapped file compares its digest.
      if (format.type === 'Uncompressed' && 'sha256' in wrong) continue
      await assert.rejects(
        buffer(kept(wrapped({ ...good, ...wrong, format }))),
        (error) => error instanceof TargetProblem && error.reason === 'source_differs',
      )
    }
  }
})

const unzip = requirePart('unzip and 7z', ['unzip', '7z'].every(findProgram))
describe('zip archives', unzip, () => {
  test('are read completely by unzip and 7z, stored and deflated', async () => {
    for (const [index, content] of ZIPPED.entries())
      for (const inner of [`r${index}.opus`, `r${index}.json`]) {
        const format = { type: 'Zipped' } as const
        const path = await file(`${inner}.zip`, wrapped(item(content, `in/${inner}.zip`, format)))
        await run('unzip', ['-tqq', path])
        await run('7z', ['t', path])
        const out = await run('unzip', ['-p', path, inner], { encoding: 'buffer', maxBuffer: 1 << 24 })
        assert.ok(out.stdout.equals(content), inner)
      }
  })

  test('open in 7z only with their password and use AES-256', async () => {
    for (const [index, content] of ZIPPED.entries())
      for (const inner of [`s${index}.opus`, `s${index}.json`]) {
        const format = { type: 'ZippedWithPassword', password: PASSWORD } as const
        const path = await file(`${inner}.zip`, wrapped(item(content, `in/${inner}.zip`, format)))
        await run('7z', ['t', `-p${PASSWORD}`, path])
        const out = await run('7z', ['x', '-so', `-p${PASSWORD}`, path], {
          encoding: 'buffer',
          maxBuffer: 1 << 24,
        })
        assert.ok(out.stdout.equals(content), inner)
        assert.match((await run('7z', ['l', '-slt', path])).stdout, /Method = AES-256/)
        await assert.rejects(run('7z', ['t', '-pwrong', path]))
      }
  })

  test('use Zip64 above 4 GiB and pass the test of 7z', longOnly, async () => {
    const content = Buffer.alloc(1 << 20, 'Custodia')
    const count = 4200
    const many = (async function* () {
      for (let i = 0; i < count; i++) yield content
    })()
    const archive = zip(many, { name: 'large.txt', size: count * 2 ** 20, deflate: true })
    const path = await file('large.zip', archive)
    const { stdout } = await run('7z', ['t', path])
    assert.match(stdout, new RegExp(`Size: +${count * 2 ** 20}`))
  })

  test('have correct Zip64 offsets for an entry announced as large', async () => {
    const content = randomBytes(5000)
    const entry = { name: 'r.opus', size: 2 ** 33, deflate: false }
    for (const password of [undefined, PASSWORD]) {
      const archive = zip(Readable.from([content]), { ...entry, ...(password ? { password } : {}) })
      const path = await file('says-large.zip', archive)
      await run('7z', ['t', `-p${PASSWORD}`, path])
    }
  })
})

const gpg = requirePart('gpg', ['gpg', 'gpgconf'].every(findProgram))
describe('OpenPGP encryption', gpg, () => {
  let home: string
  const keys = new Map<string, string>()
  const getGpg = (...args: string[]) => ['--homedir', home, '--batch', '--quiet', '--passphrase', '', ...args]

  before(async () => {
    home = join(folder, 'gnupg')
    await mkdir(home, { mode: 0o700 })
    const make = async (name: string, ...rest: string[]) => {
      await run('gpg', getGpg('--quick-gen-key', name, ...rest))
      keys.set(name, (await run('gpg', getGpg('--armor', '--export', name))).stdout)
    }
    await make('curve', 'future-default', 'default', '1y')
    await make('rsa', 'rsa3072', 'sign', 'never')
    keys.set('sign-only', keys.get('rsa') ?? '')
    const listed = await run('gpg', getGpg('--with-colons', '--list-keys', 'rsa'))
    const [, print = ''] = /^fpr:+([0-9A-F]+):/m.exec(listed.stdout) ?? []
    await run('gpg', getGpg('--quick-add-key', print, 'rsa3072', 'encr', 'never'))
    keys.set('rsa', (await run('gpg', getGpg('--armor', '--export', 'rsa'))).stdout)
    keys.set('private', (await run('gpg', getGpg('--armor', '--export-secret-keys', 'curve'))).stdout)
  })
  after(() => run('gpgconf', ['--homedir', home, '--kill', 'all']))

  test('produces files that gpg decrypts completely for RSA and curve keys', async () => {
    for (const name of ['curve', 'rsa'])
      for (const content of name === 'curve' ? CONTENTS : CONTENTS.slice(-1)) {
        const format = { type: 'PGP', public_key: keys.get(name) ?? '' } as const
        const path = await file('r.pgp', wrapped(item(content, 'r.opus.pgp', format)))
        const { stdout, stderr } = await run('gpg', getGpg('--status-fd', '2', '--decrypt', path), {
          encoding: 'buffer',
          maxBuffer: 1 << 24,
        })
        assert.ok(stdout.equals(content), `${name} ${content.length}`)
        assert.match(stderr.toString(), /GOODMDC/)
      }
  })

  test('produces files in which gpg detects a flipped bit', async () => {
    const format = { type: 'PGP', public_key: keys.get('curve') ?? '' } as const
    const path = await file('bad.pgp', wrapped(item(randomBytes(90_000), 'r.opus.pgp', format)))
    const bytes = await readFile(path)
    bytes[50_000] = (bytes[50_000] ?? 0) ^ 1
    await writeFile(path, bytes)
    await assert.rejects(run('gpg', getGpg('--output', join(folder, 'bad.out'), '--decrypt', path)))
  })

  test('reads the facts of a usable key and rejects unusable keys', async () => {
    const facts = await pgpKeyFacts(keys.get('curve') ?? '')
    assert.match(facts.fingerprint, /^[0-9A-F]{40}$/)
    assert.deepEqual(facts.user_ids, ['curve'])
    assert.ok((facts.expires_at ?? 0) > Date.now() / 1000 + 300 * 86_400)
    assert.equal((await pgpKeyFacts(keys.get('rsa') ?? '')).expires_at, undefined)
    for (const bad of [keys.get('private') ?? '', keys.get('sign-only') ?? '', 'nonsense'])
      await assert.rejects(
        pgpKeyFacts(bad),
        (error) => error instanceof TargetProblem && error.reason === 'key_unusable',
      )
  })
})

test('memory use does not grow with the size of the item', async () => {
  const script = `
    const { wrapped } = await import(${JSON.stringify(new URL('wrap.ts', import.meta.url).href)})
    const { createHash } = await import('node:crypto')
    const { readFileSync } = await import('node:fs')
    const piece = Buffer.alloc(1 << 20, 7), count = 200
    const digest = createHash('sha256'); for (let i = 0; i < count; i++) digest.update(piece)
    const sha256 = digest.digest('hex')
    const idle = process.memoryUsage().rss
    for (const type of ['Zipped', 'ZippedWithPassword'])
      for await (const _ of wrapped({ path: 'r.opus.zip', sha256, size: count << 20, format: { type, password: 'x' },
        async *open() { for (let i = 0; i < count; i++) yield piece } })) continue
    // Not resourceUsage().maxRSS: a child process starts with its parent's.
    const most = /VmHWM:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1] * 1024
    console.log((most - idle) >> 20)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const out = await text(child.stdout)
  assert.ok(Number(out) > 0 && Number(out) < 150, `${out} MiB above idle`)
})

/** Like real consumers: reads each piece before it requests the next. */
async function* given(...pieces: Uint8Array[]) {
  yield* pieces
}

test('keeps a piece until the next one is requested and then releases its memory', async () => {
  const pieces = [randomBytes(200_000), randomBytes(70_000)].map((each) => new Uint8Array(each))
  const seen: Buffer[] = []
  for await (const piece of releaseAfterUse(given(...pieces))) {
    seen.push(Buffer.from(piece))
    assert.deepEqual(
      pieces.map(({ length }) => length),
      seen.length === 1 ? [200_000, 70_000] : [0, 70_000],
    )
  }
  assert.deepEqual(
    seen.map(({ length }) => length),
    [200_000, 70_000],
  )
  assert.deepEqual(
    pieces.map(({ buffer }) => buffer.byteLength),
    [0, 0],
  )
})

test('does not release shared or pooled memory', async () => {
  const whole = randomBytes(100_000)
  const pooled = Buffer.from('of the pool')
  const shared = new Uint8Array(new SharedArrayBuffer(1000))
  // A piece that fills a whole pool still belongs to the pool.
  const pool = new Uint8Array(Buffer.from('x').buffer)
  const pieces = [whole.subarray(0, 99_999), pooled, shared, pool]
  for await (const _ of releaseAfterUse(given(...pieces))) continue
  assert.deepEqual(
    pieces.map(({ length }) => length > 0),
    [true, true, true, true],
  )
})

test('keeps copies after the original memory is released', async () => {
  const content = new Uint8Array(randomBytes(100_000))
  const before = Buffer.from(content)
  const copies: Buffer[] = []
  for await (const piece of kept(releaseAfterUse(given(content)))) copies.push(piece)
  assert.deepEqual(Buffer.concat(copies), before)
})
