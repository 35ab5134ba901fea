/** Destroyed data stays unreadable: after any kill, and after a restore of an older database backup. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { finishDestructions, replayLedger } from '../destruction/store.ts'
import { openDatabase } from '../ports/database/pool.ts'
import { localFileKeys } from '../ports/keys/local-file.ts'
import { filesystemStore } from '../ports/objects/filesystem.ts'
import { connectedOwner, copyOf, type TestDatabase } from '../testing/database.ts'
import { ingestFixture, type IngestFixture } from '../testing/ingest-fixture.ts'
import { LONG } from '../testing/long.ts'
import { seeded } from '../testing/require-part.ts'

const PROCESS = fileURLToPath(new URL('../testing/retention-process.ts', import.meta.url))
/** Recordings that are due, and how often the process that destroys them is killed. */
const DUE = LONG ? 500 : 16
const KILLS = LONG ? 20 : 2
/** Acts of that process: those before the first destruction, and for each recording from there on. */
const BEFORE = DUE + 8
const ACTS = LONG ? 3 : 2
const NEVER = new AbortController().signal

describe('a database restored from before destructions', () => {
  let fixture: IngestFixture
  let backup: Omit<TestDatabase, 'db'>
  const random = seeded(29)
  const keysOf = new Map<string, Buffer[]>()
  before(async () => {
    fixture = await ingestFixture()
    const phone = await fixture.phone('acme')
    for (let i = 0; i < DUE; i++) {
      const data = Buffer.from(JSON.stringify({ text: `said ${i}` }))
      const { payload_id, payload_reference } = await fixture.upload(phone, 'SMS', data)
      const [kept] = await fixture.sql<{ names: Buffer[] }>(
        `select array(select wrapped_dek from payload_objects where payload_id = $1 and wrapped_dek is not null
           union all select dek_key from payload_envelopes where payload_id = $1 and dek_key is not null) as names`,
        [payload_id],
      )
      assert.ok(kept && kept.names.length > 1)
      keysOf.set(payload_reference, kept.names)
    }
    await fixture.sql(`insert into retention_policies values ($1, 1, $2, '[]', true, null, 1, 'alice')`, [
      fixture.accounts.acme.client_id,
      JSON.stringify([
        {
          entity_type: 'Payload',
          payload_type: 'SMS',
          destroy_after_days: 0,
          retention_timestamp: 'payload_time',
          required_receipts: [],
          required_transfers: [],
        },
      ]),
    ])
    backup = await copyOf(fixture.connection)
  })
  after(async () => {
    await backup?.drop()
    await fixture?.close()
  })

  /** Destroys until it is killed, or has done all. Resolves to what was destroyed then, and whether it was killed. */
  async function destroy(connection: string, data: string): Promise<{ gone: string[]; isKilled: boolean }> {
    const { client_id } = fixture.accounts.acme
    const acts = String(BEFORE + Math.floor(random() * DUE * ACTS))
    const child = spawn(process.execPath, [PROCESS, 'acme', String(client_id), acts, 'later'], {
      env: { ...process.env, DATABASE_URL: connection, CUSTODIA_DATA: data },
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    const [code] = (await once(child, 'exit')) as [code: number | null]
    const owner = await connectedOwner(connection)
    try {
      const { rows } = await owner.query<{ reference: string }>(
        `select payload_reference as reference from payloads join payload_states s on s.code = state where s.name = 'Destroyed'`,
      )
      return { gone: rows.map(({ reference }) => reference), isKilled: code === null }
    } finally {
      await owner.end()
    }
  }

  /** Which of these can be read in a copy of the backup, with keys and objects as they are, once what `restore` does is done. */
  async function readable(data: string, references: readonly string[]): Promise<string[]> {
    const restored = await copyOf(backup.connection)
    const db = await openDatabase({ connection: restored.connection, appName: 'restored', max: 4 })
    try {
      const keys = localFileKeys({ folder: join(data, 'keys') })
      const { now } = fixture.ctx
      const store = {
        root: join(data, 'objects'),
        base_url: 'http://localhost',
        upload_secret: Buffer.alloc(32),
        now,
      }
      const replay = await replayLedger({ db, keys, log: { warn: () => undefined } })
      assert.ok(replay.destroyed >= references.length)
      const account = { client: 'acme', client_id: fixture.accounts.acme.client_id }
      await finishDestructions({ db, keys, objects: filesystemStore(store) }, account, NEVER)
      const { rows } = await db.owner.query<{ reference: string }>(
        `select payload_reference as reference from payloads join payload_states s on s.code = state where s.name <> 'Destroyed'`,
      )
      const there = new Set(rows.map(({ reference }) => reference))
      const opened: string[] = []
      for (const reference of references) {
        const names = keysOf.get(reference) ?? []
        if (there.has(reference) || (await keys.missing(names)).length < names.length) opened.push(reference)
      }
      return opened
    } finally {
      await db.close()
      await restored.drop()
    }
  }

  it(`has nothing readable of what was destroyed, after ${KILLS} kills`, async (t) => {
    let kills = 0
    let destroyed = 0
    while (kills < KILLS || destroyed === 0) {
      const data = await mkdtemp(join(tmpdir(), 'custodia-destroyed-'))
      const present = await copyOf(backup.connection)
      try {
        await cp(fixture.ctx.config.dataDir, data, { recursive: true })
        const { gone, isKilled } = await destroy(present.connection, data)
        assert.deepEqual(await readable(data, gone), [])
        destroyed += gone.length
        if (isKilled) kills += 1
      } finally {
        await present.drop()
        await rm(data, { recursive: true, force: true })
      }
    }
    t.diagnostic(`${kills} kills, ${destroyed} destroyed`)
  })
})
