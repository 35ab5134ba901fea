/** What lies on a customer's server is exactly what was due, whole, however often whoever sends it is killed. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { requirePart } from '../testing/require-part.ts'
import { seeded } from '../testing/seeded.ts'
import { sshdAvailable } from '../testing/sshd.ts'
import { type TransferWorld, transferWorld } from '../testing/transfer-world.ts'
import { verifyArchive } from '../verify/verify.ts'

const PROCESS = fileURLToPath(new URL('../testing/transfer-process.ts', import.meta.url))
/** How often it is killed at least; more by hand. */
const KILLS = Number(process.env['TRANSFER_KILLS'] ?? 20)
/** Messages of a run; milliseconds after which a process is killed at the latest. */
const WAVE = 60
const WITHIN = 900

const sha256 = (content: Uint8Array) => createHash('sha256').update(content).digest('hex')

describe('transfers whose process is killed', requirePart('sshd', sshdAvailable()), () => {
  let world: TransferWorld
  const random = seeded(41)
  before(async () => void (world = await transferWorld()))
  after(() => world?.close())

  /** Runs the process until it is killed, or ends by itself; whether it was killed. */
  async function run(transfer_id: string, isToBeKilled: boolean): Promise<boolean> {
    const { client, client_id } = world.account
    const child = spawn(process.execPath, [PROCESS, client, String(client_id), transfer_id], {
      env: {
        ...process.env,
        DATABASE_URL: world.world.connection,
        CUSTODIA_DATA: world.house.config.dataDir,
        EGRESS_ALLOW: `sftp://127.0.0.1:${world.server.port}`,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const ended = once(child, 'exit') as Promise<[code: number | null]>
    await Promise.race([once(child.stdout, 'data'), ended])
    if (isToBeKilled) {
      await Promise.race([sleep(random() * WITHIN), ended])
      child.kill('SIGKILL')
    }
    const [code] = await ended
    if (code !== null) assert.equal(code, 0)
    return code === null
  }
  const isOver = async (transfer_id: string) =>
    (
      await world.sql('select from transfer_runs where transfer_id = $1 and completed_at is not null', [
        transfer_id,
      ])
    ).length > 0

  /** What one can see on the target is whole, and what is said to lie there does. */
  async function assertWhole(expected: ReadonlySet<string>): Promise<void> {
    const items = await world.sql<{ item: string; dest_path: string; encrypted_checksum: string }>(
      `select item, dest_path, encrypted_checksum from transfer_items where transfer_state = 'Succeeded'`,
    )
    const files = await world.files()
    for (const { item, dest_path, encrypted_checksum } of items) {
      const file = files.get(dest_path.slice(world.root.length + 1))
      assert.ok(file, `${item} is not there`)
      assert.equal(sha256(file), encrypted_checksum)
    }
    for (const [path, content] of files) {
      const name = path.split('/').at(-1) ?? ''
      if (name.startsWith('.')) continue
      assert.ok(expected.has(name.split('.')[0] ?? ''), `${path} was not asked for`)
      assert.doesNotThrow(() => JSON.parse(String(content)) as unknown, `${path} is not whole`)
    }
  }

  it(`leaves exactly what was due, after ${KILLS} kills`, async (t) => {
    await world.config('bank')
    const expected = new Set<string>()
    let kills = 0
    let waves = 0
    for (; kills < KILLS; waves++) {
      for (const reference of await world.bring(WAVE)) expected.add(reference)
      // In this run, and none of the next.
      await world.sql('update payloads set processed_at = $1 where processed_at > $1', [
        world.house.now() - 1,
      ])
      const transfer_id = await world.start('bank')
      world.world.advance(10)
      while (!(await isOver(transfer_id))) {
        if (await run(transfer_id, kills < KILLS)) kills += 1
        await assertWhole(expected)
      }
    }
    t.diagnostic(`${kills} kills, ${waves} runs, ${expected.size} recordings`)
    const names = [...(await world.files()).keys()].map((path) => path.split('/').at(-1) ?? '')
    // Nothing hidden is left either.
    assert.deepEqual(
      names.toSorted(),
      [...expected].flatMap((reference) => [`${reference}.data.json`, `${reference}.json`]).toSorted(),
    )
    const [counts] = await world.sql<{ runs: number; items: number; tries: number }>(
      `select (select count(*)::int from transfer_runs where transfer_state = 'Succeeded') as runs,
         (select count(*)::int from transfer_items where transfer_state = 'Succeeded') as items,
         (select count(*)::int from transfer_attempts) as tries`,
    )
    assert.deepEqual(counts, { runs: waves, items: expected.size, tries: expected.size })
    const { findings, problem } = await verifyArchive(world.house, { open: { of: 1, rest: 0 }, threads: 2 })
    assert.deepEqual(findings, [], problem)
  })
})
