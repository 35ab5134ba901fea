/** The customer's target holds exactly the due files, complete, however often the sending process is killed. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createHash, createPublicKey } from 'node:crypto'
import { once } from 'node:events'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { canonical, DAY, type TransferReconciliation } from '@custodia/contract'
import { utcDay } from '@custodia/domain'
import { LONG, longOnly, getSeed } from '../testing/long.ts'
import { radosgwAvailable } from '../testing/radosgw.ts'
import { requirePart, seeded } from '../testing/require-part.ts'
import { sshdAvailable } from '../testing/sshd.ts'
import { processAt } from '../testing/stored-payload.ts'
import {
  bucketFixture,
  type BucketFixture,
  transferFixture,
  type TransferFixture,
} from '../testing/transfer-fixture.ts'
import { checkReconciliation } from '../transfers/reconciliation/check.ts'
import { signedFile } from '../transfers/reconciliation/reconcile.ts'
import { verifyArchive } from '../verify/verify.ts'

const PROCESS = fileURLToPath(new URL('../testing/killed-process.ts', import.meta.url))
/** Messages of a run; milliseconds after which a process is killed at the latest. */
const WAVE = LONG ? 60 : 15
const WITHIN = 900
/** Days to reconcile, repeated in every wave; milliseconds as above. */
const DAYS = LONG ? 12 : 4
const RECONCILES_WITHIN = 400

const sha256 = (content: Uint8Array) => createHash('sha256').update(content).digest('hex')

interface KillCase<Fixture> {
  part: ReturnType<typeof requirePart>
  open: () => Promise<Fixture>
  /** Kills of a run and of a reconciliation; a test without kills runs in `npm run test:long` only. */
  kills: number
  reconcile_kills: number
  /** Bytes of the photo that each run delivers as well. */
  photo: number
  /** What must hold of the target at last. */
  atLast?: (fixture: Fixture) => Promise<void>
}

/** Runs, killed until there were so many kills, and then let through. */
function killedTransfers<Fixture extends TransferFixture | BucketFixture>(
  name: string,
  { part, open, kills: KILLS, reconcile_kills: RECONCILE_KILLS, photo, atLast }: KillCase<Fixture>,
): void {
  describe(name, part, () => {
    let fixture: Fixture
    const random = seeded(getSeed(41))
    before(async () => void (fixture = await open()))
    after(() => fixture?.close())

    /** Runs the process until it is killed or exits; resolves to whether it was killed. */
    async function run(
      [act, subject]: readonly ['run' | 'reconcile', string],
      within: number | undefined,
    ): Promise<boolean> {
      const { client, client_id } = fixture.account
      const child = spawn(process.execPath, [PROCESS, 'transfer', client, String(client_id), subject, act], {
        env: {
          ...process.env,
          ...fixture.env,
          DATABASE_URL: fixture.fixture.connection,
          CUSTODIA_DATA: fixture.ctx.config.dataDir,
        },
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const ended = once(child, 'exit') as Promise<[code: number | null]>
      await Promise.race([once(child.stdout, 'data'), ended])
      if (within !== undefined) {
        await Promise.race([sleep(random() * within), ended])
        child.kill('SIGKILL')
      }
      const [code] = await ended
      if (code !== null) assert.equal(code, 0)
      return code === null
    }
    const isOver = async (transfer_id: string) =>
      (
        await fixture.sql('select from transfer_runs where transfer_id = $1 and completed_at is not null', [
          transfer_id,
        ])
      ).length > 0

    /** Asserts that every visible file on the target is complete, and that every recorded file exists. */
    async function assertWhole(expected: ReadonlyMap<string, string>): Promise<void> {
      const items = await fixture.sql<{ item: string; dest_path: string; encrypted_checksum: string }>(
        `select item, dest_path, encrypted_checksum from transfer_items where transfer_state = 'Succeeded'`,
      )
      const files = await fixture.files()
      for (const { item, dest_path, encrypted_checksum } of items) {
        const file = files.get(dest_path.slice(fixture.root.length + 1))
        assert.ok(file, `${item} is not there`)
        assert.equal(sha256(file), encrypted_checksum)
      }
      for (const [path, content] of files) {
        const file = path.split('/').at(-1) ?? ''
        if (file.startsWith('.')) continue
        assert.match(path, /^\d{4}\/\d\d\/\d\d\/[^/]+$/)
        assert.ok(expected.has(file.split('.')[0] ?? ''), `${path} was not asked for`)
        if (file.endsWith('.jpg')) assert.equal(content.length, photo, `${path} is not whole`)
        else assert.doesNotThrow(() => JSON.parse(String(content)) as unknown, `${path} is not whole`)
      }
    }

    it(`delivers exactly the due payloads after ${KILLS} kills`, async (t) => {
      await fixture.config('bank')
      /** Each recording with the name of its file. */
      const expected = new Map<string, string>()
      let kills = 0
      let waves = 0
      for (; kills < KILLS; waves++) {
        for (const reference of await fixture.upload(WAVE)) expected.set(reference, `${reference}.data.json`)
        const reference = await fixture.bringPhoto(photo)
        expected.set(reference, `${reference}.jpg`)
        // In this run, and none of the next.
        await fixture.sql(processAt('$1', 'processed_at > $1'), [fixture.ctx.now() - 1])
        const transfer_id = await fixture.start('bank')
        fixture.fixture.advance(10)
        while (!(await isOver(transfer_id))) {
          if (await run(['run', transfer_id], kills < KILLS ? WITHIN : undefined)) kills += 1
          await assertWhole(expected)
        }
      }
      t.diagnostic(`${kills} kills, ${waves} runs, ${expected.size} recordings`)
      const names = [...(await fixture.files()).keys()].map((path) => path.split('/').at(-1) ?? '')
      // No hidden file is left either.
      assert.deepEqual(
        names.toSorted(),
        [...expected].flatMap(([reference, file]) => [file, `${reference}.json`]).toSorted(),
      )
      await atLast?.(fixture)
      const [counts] = await fixture.sql<{ runs: number; items: number; tries: number }>(
        `select (select count(*)::int from transfer_runs where transfer_state = 'Succeeded') as runs,
           (select count(*)::int from transfer_items where transfer_state = 'Succeeded') as items,
           (select count(*)::int from transfer_attempts) as tries`,
      )
      assert.deepEqual(counts, { runs: waves, items: expected.size, tries: expected.size })
      const { findings, problem } = await verifyArchive(fixture.ctx, { open: { of: 1, rest: 0 } })
      assert.deepEqual(findings, [], problem)
    })

    it(
      `delivers the last signed reconciliation of each day after ${RECONCILE_KILLS} kills`,
      RECONCILE_KILLS > 0 ? {} : longOnly,
      async (t) => {
        const keys = (await fixture.ctx.keys.verificationKeys()).map(({ public_key_pem }) =>
          createPublicKey(public_key_pem),
        )
        // Long before the files of the other runs.
        const first = utcDay(fixture.ctx.now()) - 400 * DAY
        const versions = (sent = 'true') =>
          fixture.sql<
            Omit<Parameters<typeof signedFile>[0], 'signature'> & { signature: Buffer; day: number }
          >(
            `select body, key_id, signature, payload_date as day from transfer_reconciliations
           where payload_date between ${first} and ${first + (DAYS - 1) * DAY} and ${sent}
           order by payload_date, version`,
          )
        /** The file of each day, without hidden ones. */
        const readState = async () =>
          [...(await fixture.files())].filter(
            ([path]) => path.startsWith('reconciliation/') && !path.includes('/.'),
          )
        let kills = 0
        let waves = 0
        while (kills < RECONCILE_KILLS || waves < 2) {
          await fixture.uploadAt(...Array.from({ length: DAYS }, (_, day) => first + day * DAY))
          await fixture.sql(processAt('$1', 'processed_at > $1'), [fixture.ctx.now() - 1])
          await fixture.carryOut(await fixture.start('bank'))
          fixture.fixture.advance(10)
          waves += 1
          for (let hasMore = true; hasMore;) {
            hasMore = await run(
              ['reconcile', 'bank'],
              kills < RECONCILE_KILLS ? RECONCILES_WITHIN : undefined,
            )
            if (hasMore) kills += 1
            // Every visible file equals one of the stored versions.
            const kept = new Set((await versions()).map((each) => canonical(signedFile(each))))
            for (const [path, content] of await readState()) {
              assert.equal(checkReconciliation(String(content), keys).outcome, 'good', path)
              const { payload_date } = (JSON.parse(String(content)) as TransferReconciliation).reconciliation
              if (Date.parse(payload_date) / 1000 < first + DAYS * DAY)
                assert.ok(kept.has(String(content)), path)
            }
            assert.ok(waves < 100, 'no reconciliation is ever killed')
          }
        }
        t.diagnostic(`${kills} kills, ${waves} versions of ${DAYS} days`)
        const all = await versions()
        assert.equal(all.length, waves * DAYS, 'a version for each change, and no other')
        assert.equal((await versions('sent_at is null')).length, 0)
        const newest = new Map(all.map((each) => [each.day, canonical(signedFile(each))]))
        const files = new Map((await readState()).map(([path, content]) => [path, String(content)]))
        for (const [day, text] of newest) {
          const date = new Date(day * 1000).toISOString().slice(0, 10)
          assert.equal(files.get(`reconciliation/${date.replaceAll('-', '/')}.json`), text, date)
          const { captured, delivered, missing } = (JSON.parse(text) as TransferReconciliation).reconciliation
          assert.deepEqual([captured, delivered, missing], [waves, waves, 0], date)
        }
        // No unsigned day, no hidden file.
        const days = await fixture.sql(
          'select distinct payload_date from transfer_reconciliations where sent_at is not null',
        )
        const under = [...(await fixture.files()).keys()].filter((path) => path.startsWith('reconciliation/'))
        assert.equal(under.length, days.length)
        assert.equal(files.size, days.length)
        // Each delivery was logged once, in the transaction that recorded it as sent.
        const [log] = await fixture.sql<{ entries: number; versions: number; sent: number }>(
          `select count(*)::int as entries, count(distinct parameters::jsonb #>> '{body,reconciliation_reference}')::int as versions,
           (select count(*)::int from transfer_reconciliations where sent_at is not null) as sent
         from portal_activities where action = 'transfers:reconcile'`,
        )
        assert.deepEqual(log, { entries: log?.sent, versions: log?.sent, sent: log?.sent })
        await atLast?.(fixture)
        const { findings, problem } = await verifyArchive(fixture.ctx, { open: { of: 1, rest: 0 } })
        assert.deepEqual(findings, [], problem)
      },
    )
  })
}

killedTransfers('a transfer to an SFTP server with a killed process', {
  part: requirePart('sshd', sshdAvailable()),
  open: transferFixture,
  kills: LONG ? 60 : 1,
  reconcile_kills: LONG ? 12 : 1,
  photo: 300_000,
})

killedTransfers('a transfer to an S3 bucket with a killed process', {
  part: requirePart('radosgw', radosgwAvailable()),
  open: bucketFixture,
  kills: LONG ? 20 : 1,
  reconcile_kills: LONG ? 4 : 0,
  // The file is sent in two parts.
  photo: 9_000_000,
  async atLast({ customer }) {
    assert.deepEqual(await customer.uploads(), [], 'an upload is neither completed nor ended')
  },
})
