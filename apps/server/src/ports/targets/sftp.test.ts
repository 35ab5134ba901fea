import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmod, mkdir, open as openFile, readdir, readFile, rm, stat } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { mayMount, smallDisk } from '../../testing/daemon.ts'
import { requirePart } from '../../testing/require-part.ts'
import { PASSPHRASE, type SftpServer, sshdAvailable, startSshd } from '../../testing/sshd.ts'
import { makeEgress } from '../egress/guard.ts'
import { conformance, getItem, refuses } from './port.conformance.ts'
import { type SftpTarget, TargetProblem } from './port.ts'
import { sftpSession } from './sftp.ts'

/** Resolves to the path once so many bytes of an item are in its folder. */
async function filesIn(folder: string, bytes: number): Promise<string> {
  for (let tries = 0; tries < 2000; tries++) {
    const [name] = await readdir(folder).catch(() => [])
    if (name !== undefined && (await stat(join(folder, name))).size >= bytes) return join(folder, name)
    await sleep(5)
  }
  throw new Error(`nothing arrives in ${folder}`)
}

describe('an SFTP server of a customer (OpenSSH)', requirePart('sshd', sshdAvailable()), () => {
  let server: SftpServer
  const target = (over: Partial<SftpTarget> = {}): SftpTarget => ({
    kind: 'SFTP',
    host: '127.0.0.1',
    port: server.port,
    username: server.username,
    private_key: server.private_key,
    host_key: server.host_key,
    ...over,
  })
  const egress = () => makeEgress({ allow: [`sftp://127.0.0.1:${server.port}`] })
  const session = (over: Partial<SftpTarget> = {}) => sftpSession(target(over), egress())

  before(async () => void (server = await startSshd()))
  after(() => server?.stop())

  /** All files below the folder that look like files of ours. */
  const lying = async () =>
    (await readdir(server.folder, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map((entry) => entry.name)

  conformance(
    () => ({
      open: session,
      path: (below) => `${server.folder}/${below}`,
      place: (path) => path,
      read: (path) => readFile(path),
      list: (below) => readdir(join(server.folder, below)),
    }),
    { whole: [0, 1, 131_071, 131_072, 5_000_001], failing: [300_000] },
  )

  test('accepts many deliveries at once over one connection into shared new folders', async () => {
    const open = await session()
    const contents = Array.from({ length: 20 }, () => randomBytes(20_000))
    await Promise.all(
      contents.map((content, i) => open.deliver(getItem(`${server.folder}/b/${i % 3}/${i}.bin`, content))),
    )
    await open.close()
    for (const [i, content] of contents.entries())
      assert.ok((await readFile(`${server.folder}/b/${i % 3}/${i}.bin`)).equals(content))
  })

  test('hides an incomplete file and removes the leftovers of a killed worker', async () => {
    const path = `${server.folder}/d/r.bin`
    const killed = await session()
    const content = randomBytes(3_000_000)
    const whole = getItem(path, content)
    let visible: string[] = []
    await refuses(
      killed.deliver({
        ...whole,
        async *open() {
          yield content.subarray(0, 1_000_000)
          await filesIn(join(server.folder, 'd'), 1)
          await killed.close()
          yield content.subarray(1_000_000)
          visible = await readdir(join(server.folder, 'd'))
        },
      }),
      'connection_lost',
    )
    assert.ok((await readdir(join(server.folder, 'd'))).every((name) => /^\.[0-9a-f]{32}\.part$/.test(name)))
    assert.ok(visible.every((name) => name.startsWith('.')))
    const next = await session()
    await next.deliver(whole)
    await next.close()
    assert.deepEqual(await readdir(join(server.folder, 'd')), ['r.bin'])
  })

  for (const { what, size, pausedAt, at } of [
    { what: 'altered', size: 400_000, pausedAt: 300_000, at: 0 },
    { what: 'made longer', size: 400_000, pausedAt: 300_000, at: 5_000_000 },
    // The reading of a large file follows its writing, and has not come so far.
    { what: 'altered behind the reader', size: 24_000_000, pausedAt: 20_000_000, at: 15_000_000 },
  ])
    test(`never shows a file that is ${what} on the server's disk before it is read back`, async () => {
      const folder = join(server.folder, what)
      const content = randomBytes(size)
      const damaged = getItem(`${folder}/r.bin`, content)
      const open = await session()
      let isRead = false
      await refuses(
        open.deliver({
          ...damaged,
          async *open() {
            // The second time only tells whether the source differs.
            if (isRead) return yield content
            isRead = true
            yield content.subarray(0, pausedAt)
            const file = await openFile(await filesIn(folder, pausedAt - 261_120), 'r+')
            await file.write(Buffer.from([(content[at] ?? 0) ^ 1]), 0, 1, at)
            await file.close()
            yield content.subarray(pausedAt)
          },
        }),
        'target_differs',
      )
      assert.deepEqual(await readdir(folder), [])
      await open.deliver(damaged)
      await open.close()
      assert.ok((await readFile(`${folder}/r.bin`)).equals(content))
    })

  test('still accepts deliveries over a connection after many failed ones', async () => {
    const open = await session()
    const content = randomBytes(1_000_000)
    await mkdir(join(server.folder, 'shut'))
    await chmod(join(server.folder, 'shut'), 0o555)
    const broken = async function* () {
      yield content.subarray(0, 500_000)
      throw new Error('the archive cannot be read')
    }
    // Each has several pieces in transit; all together need many times the room of a connection.
    for (let round = 0; round < 12; round++)
      await Promise.all([
        refuses(open.deliver(getItem(`${server.folder}/shut/${round}.bin`, content)), 'permission_denied'),
        refuses(
          open.deliver({ ...getItem(`${server.folder}/e/${round}.bin`, content), open: broken }),
          'source_unreadable',
        ),
        refuses(
          open.deliver({ ...getItem(`${server.folder}/f/${round}.bin`, content), size: 999_999 }),
          'source_differs',
        ),
      ])
    await open.deliver(getItem(`${server.folder}/e/last.bin`, content))
    await open.close()
    assert.deepEqual(await readdir(join(server.folder, 'e')), ['last.bin'])
    assert.deepEqual(await readdir(join(server.folder, 'f')), [])
  })

  test('receives nothing without the pinned host key, and the error names the key found', async () => {
    const before = (await server.log()).length
    const one = getItem(`${server.folder}/never.bin`, Buffer.from('x'))
    const tryIt = async (host_key: string | undefined) => {
      const open = await session({ host_key })
      await open.deliver(one)
    }
    const seen = (error: unknown) => error instanceof TargetProblem && error.host_key === server.host_key
    await assert.rejects(tryIt(undefined), seen)
    await refuses(tryIt(undefined), 'host_key_unknown')
    await refuses(tryIt('SHA256:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'), 'host_key_changed')
    await assert.rejects(tryIt('SHA256:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'), seen)
    assert.equal(one.opened(), 0, 'nothing was read')
    const noted = (await server.log()).slice(before)
    // The end of an earlier session may be logged late, with the name of its user.
    assert.doesNotMatch(noted, /Accepted|Failed|userauth/i, 'a sign-in was tried')
    assert.ok(!(await lying()).includes('never.bin'))
  })

  test('accepts keys with a passphrase and refuses wrong credentials', async () => {
    const locked = { private_key: server.locked_key }
    await (await session({ ...locked, passphrase: PASSPHRASE })).close()
    await refuses(session(locked), 'auth_refused')
    await refuses(session({ ...locked, passphrase: 'wrong' }), 'auth_refused')
    await refuses(session({ private_key: 'nonsense' }), 'auth_refused')
    await refuses(session({ username: 'stranger' }), 'auth_refused')
    const { private_key: _key, ...withPassword } = target({ password: 'wrong' })
    await refuses(sftpSession(withPassword, egress()), 'auth_refused')
  })

  test('fails its test in a folder without permission', async () => {
    const open = await session()
    await mkdir(join(server.folder, 'locked'))
    await chmod(join(server.folder, 'locked'), 0o555)
    await refuses(open.prove(`${server.folder}/locked`), 'permission_denied')
    await refuses(open.prove(`${server.folder}/locked/below`), 'permission_denied')
    await open.close()
  })

  test('reports a full disk and keeps nothing of the failed item', mayMount, async () => {
    const folder = join(server.folder, 'small')
    await mkdir(folder)
    const unmount = smallDisk(folder, 'size=2m,mode=777')
    try {
      const open = await session()
      await refuses(open.deliver(getItem(`${folder}/r.bin`, randomBytes(5_000_000))), 'no_space')
      assert.deepEqual(await readdir(folder), [])
      await open.deliver(getItem(`${folder}/r.bin`, randomBytes(1_000_000)))
      await open.close()
      assert.equal((await stat(join(folder, 'r.bin'))).size, 1_000_000)
    } finally {
      unmount()
    }
    await rm(folder, { recursive: true })
  })

  test('receives nothing after its host key changes', async () => {
    const key = await server.swapHostKey()
    await refuses(session(), 'host_key_changed')
    await (await session({ host_key: key })).close()
    server.host_key = key
  })

  test('is reached on an internal address only when the operator allows it', async () => {
    await refuses(sftpSession(target(), makeEgress()), 'address_forbidden')
    const elsewhere = makeEgress({ allow: [`https://127.0.0.1:${server.port}`, 'sftp://127.0.0.1:22'] })
    await refuses(sftpSession(target(), elsewhere), 'address_forbidden')
    const named = target({ host: 'sftp.example' })
    const nowhere = makeEgress({ resolve: () => Promise.reject(new Error('ENOTFOUND')) })
    await refuses(sftpSession(named, nowhere), 'host_unknown')
    const inside = makeEgress({ resolve: async () => ['127.0.0.1'] })
    // The same answer, so that a client cannot map the operator's network.
    await refuses(sftpSession(named, inside), 'host_unknown')
  })
})

test('times out an SFTP server that does not respond', async () => {
  const silent = createServer((socket) => socket.resume()).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const { port } = silent.address() as AddressInfo
  const target: SftpTarget = {
    kind: 'SFTP',
    host: '127.0.0.1',
    port,
    username: 'x',
    password: 'x',
    host_key: undefined,
  }
  const egress = makeEgress({ allow: [`sftp://127.0.0.1:${port}`] })
  await refuses(sftpSession(target, egress, { patience: { connect: 300, silence: 300 } }), 'timeout')
  silent.close()
  await once(silent, 'close')
  await refuses(sftpSession(target, egress), 'unreachable')
})
