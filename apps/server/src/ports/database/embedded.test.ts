import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, test, type TestContext } from 'node:test'
import pg from 'pg'
import { type EmbeddedDatabase, type EmbeddedOptions, startEmbedded } from './embedded.ts'
import { processState, takeOwnerLock } from './owner-lock.ts'
import { launcherFor, postgresUser } from './run-as.ts'

const root = mkdtempSync(join(tmpdir(), 'custodia-embedded-'))
chmodSync(root, 0o711)
after(() => rmSync(root, { recursive: true, force: true }))

const quiet = { log: () => undefined }

async function ask(url: string, text: string): Promise<unknown> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    const { rows } = await client.query({ text, rowMode: 'array' })
    return rows[0]?.[0]
  } finally {
    await client.end()
  }
}

/** A server process of its own, so that the test can kill it. It prints its connection string. */
async function serverProcess(dataDir: string): Promise<{ child: ChildProcess; url: string; pid: number }> {
  const code = `
    import { startEmbedded } from ${JSON.stringify(new URL('./embedded.ts', import.meta.url).href)}
    const db = await startEmbedded({ dataDir: ${JSON.stringify(dataDir)}, log() {} })
    console.log(JSON.stringify({ url: db.url, pid: db.pid }))`
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  assert.ok(child.stdout)
  const [line] = await once(createInterface({ input: child.stdout }), 'line')
  return { child, ...JSON.parse(String(line)) }
}

/** A PostgreSQL that stops at the end of its test; otherwise it would keep the process alive. */
async function started(t: TestContext, options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  const server = await startEmbedded(options)
  t.after(() => server.stop())
  return server
}

test('starts a new cluster, stops it cleanly and finds its rows again', async (t) => {
  const dataDir = join(root, 'restart')
  const first = await started(t, { dataDir, ...quiet })
  assert.equal(first.how, 'new')
  await ask(first.url, 'create table kept (x int)')
  await ask(first.url, 'insert into kept values (7)')
  const settings = `select string_agg(current_setting(name), ' ' order by name) from unnest(array[
    'data_checksums', 'fsync', 'jit', 'server_encoding', 'synchronous_commit', 'timezone']) name`
  assert.equal(await ask(first.url, settings), 'on on off UTF8 on UTC')
  await first.stop()
  assert.equal(processState(first.pid), null)
  assert.ok(!existsSync(`${dataDir}.lock`))

  const second = await started(t, { dataDir, ...quiet })
  assert.equal(second.how, 'existing')
  assert.equal(await ask(second.url, 'select x from kept'), 7)
})

test('opens no TCP port and only a private socket', async (t) => {
  const server = await started(t, { dataDir: join(root, 'private'), ...quiet })
  assert.equal(await ask(server.url, 'show listen_addresses'), '')
  assert.equal(statSync(server.socketFolder).mode & 0o777, 0o700)
})

test('rejects connections of other operating system users', { skip: process.getuid?.() !== 0 }, async (t) => {
  const server = await started(t, { dataDir: join(root, 'peer'), ...quiet })
  // The folder's owner passes its permissions, so only the server itself can refuse this user.
  const { uid, gid } = statSync(server.socketFolder)
  const code = `
    const { default: pg } = await import(${JSON.stringify(import.meta.resolve('pg'))})
    const client = new pg.Client(${JSON.stringify(server.url)})
    await client.connect().then(() => console.log('connected'), (error) => console.log(error.message))
    await client.end()`
  // Like PostgreSQL itself: the checkout may be in a folder that its user cannot enter.
  const launcher = launcherFor({ uid, gid, steps_down: true }, [process.execPath, import.meta.filename])
  const other = spawn(...launcher.command(process.execPath, ['--input-type=module', '-e', code]), {
    ...launcher.ids,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = await once(createInterface({ input: other.stdout }), 'line')
  assert.match(String(line), /Peer authentication failed/)
})

test('refuses a second server on the same data folder and names the running process', async (t) => {
  const dataDir = join(root, 'second')
  const { child, url } = await serverProcess(dataDir)
  await assert.rejects(startEmbedded({ dataDir, ...quiet }), new RegExp(`in use by process ${child.pid}\\b`))
  assert.equal(await ask(url, 'select 1'), 1)
  child.kill('SIGKILL')
  await once(child, 'exit')
  await started(t, { dataDir, ...quiet })
})

test('takes over the PostgreSQL of a killed server with all acknowledged rows', async (t) => {
  const dataDir = join(root, 'orphan')
  const { child, url, pid } = await serverProcess(dataDir)
  await ask(url, 'create table kept as select 7 as x')
  child.kill('SIGKILL')
  await once(child, 'exit')
  assert.ok(processState(pid), 'the orphan still runs')

  const next = await started(t, { dataDir, ...quiet })
  assert.equal(next.how, 'existing, after an orphan')
  assert.equal(processState(pid), null)
  assert.equal(await ask(next.url, 'select x from kept'), 7)
})

test('calls onExit when PostgreSQL is killed and recovers at the next start', async (t) => {
  const dataDir = join(root, 'crash')
  const crashed = Promise.withResolvers<string>()
  const server = await started(t, { dataDir, ...quiet, onExit: crashed.resolve })
  await ask(server.url, 'create table kept as select 7 as x')
  process.kill(server.pid, 'SIGKILL')
  assert.equal(await crashed.promise, 'exit SIGKILL')
  const next = await started(t, { dataDir, ...quiet })
  assert.equal(await ask(next.url, 'select x from kept'), 7)
  await next.stop()
})

test('creates the cluster again after a crash during initdb', async (t) => {
  const dataDir = join(root, 'half')
  const server = await started(t, { dataDir, ...quiet })
  await server.stop()
  rmSync(dataDir, { recursive: true })
  writeFileSync(`${dataDir}.new`, 'what a crash during initdb left')
  const again = await started(t, { dataDir, ...quiet })
  assert.equal(again.how, 'new')
})

test('refuses a cluster of another major version and leaves it unchanged', async (t) => {
  const dataDir = join(root, 'older')
  const server = await started(t, { dataDir, ...quiet })
  await server.stop()
  writeFileSync(join(dataDir, 'PG_VERSION'), '17\n')
  await assert.rejects(startEmbedded({ dataDir, ...quiet }), /made by PostgreSQL 17; this release runs 18/)
  assert.equal(readFileSync(join(dataDir, 'PG_VERSION'), 'utf8'), '17\n')
  assert.ok(!existsSync(`${dataDir}.lock`))
})

test(
  'works with a data folder below a folder that other users cannot enter',
  { skip: process.getuid?.() !== 0 },
  async (t) => {
    const closed = mkdtempSync(join(root, 'closed-'))
    const server = await started(t, { dataDir: join(closed, 'pg'), ...quiet })
    await ask(server.url, 'select 1')
  },
)

test(
  'names the folder that PostgreSQL cannot enter when setpriv is missing',
  { skip: process.getuid?.() !== 0 },
  () => {
    const closed = mkdtempSync(join(root, 'closed-'))
    assert.throws(
      () => launcherFor(postgresUser(), [join(closed)], ''),
      (error: Error) => error.message.includes(`cannot enter ${closed} (mode 700)`),
    )
  },
)

test('writes no values of a failed statement to the log', async (t) => {
  const lines: string[] = []
  const server = await started(t, { dataDir: join(root, 'log'), log: (line) => lines.push(line) })
  await ask(server.url, 'create table secrets (word text unique)')
  await ask(server.url, `insert into secrets values ('canary')`)
  await assert.rejects(ask(server.url, `insert into secrets values ('canary')`))
  await assert.rejects(ask(server.url, `select 'canary'::int`))
  await server.stop()
  assert.ok(lines.length > 0)
  assert.doesNotMatch(lines.join('\n'), /canary/)
})

const folder = mkdtempSync(join(tmpdir(), 'custodia-lock-'))
after(() => rmSync(folder, { recursive: true, force: true }))

test('ignores a lock whose process id now belongs to another process', async () => {
  const path = join(folder, 'reused')
  writeFileSync(path, JSON.stringify({ pid: process.pid, started: 'at another time' }))
  const release = await takeOwnerLock(path)
  release()
})

test('gives a stale lock to exactly one of two competing processes', async () => {
  const paths = Array.from({ length: 12 }, (_, i) => join(folder, `race-${i}`))
  for (const path of paths) writeFileSync(path, JSON.stringify({ pid: 2 ** 22 + 1, started: '1' }))
  const code = `
    import { takeOwnerLock } from ${JSON.stringify(new URL('./owner-lock.ts', import.meta.url).href)}
    let start = ${Date.now() + 800}
    let taken = ''
    for (const path of ${JSON.stringify(paths)}) {
      while (Date.now() < start);
      start += 150
      taken += await takeOwnerLock(path).then(() => 1, () => 0)
    }
    console.log(taken)
    setInterval(() => {}, 1000)`
  const children = [1, 2].map(() =>
    spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['ignore', 'pipe', 'inherit'] }),
  )
  const [a, b] = await Promise.all(
    children.map(async ({ stdout }) => String(await once(createInterface({ input: stdout }), 'line'))),
  )
  for (const child of children) child.kill('SIGKILL')
  const sums = Array.from(a ?? '', (taken, i) => Number(taken) + Number(b?.[i]))
  assert.deepEqual(sums, Array(12).fill(1))
})
