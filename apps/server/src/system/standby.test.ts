/** What docs/backup.md says of a synchronous standby, with two Debian PostgreSQL servers. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { demoPhone, messageOf, recordingOf } from '../testing/phones.ts'
import { requirePart } from '../testing/require-part.ts'
import { testServer } from '../testing/server.ts'
import { debianPostgres, startStreamingPair } from '../testing/streaming-pair.ts'
import { until } from '../testing/waits.ts'

const DEVICES = ['Harriet', 'Imran']
/** Milliseconds in which devices go on while the standby is away. */
const WITHOUT_STANDBY = 2000

test(
  'a synchronous standby has every acknowledged upload after the primary is lost',
  requirePart('PostgreSQL', debianPostgres() !== undefined),
  async (t) => {
    const pair = await startStreamingPair({ isSynchronous: true })
    t.after(() => pair.stop())
    const server = await testServer({ DATABASE_URL: pair.primary })
    t.after(() => server.close())
    const acknowledged: string[] = []
    let isLost = false
    const devices = DEVICES.map(async (name) => {
      const device = await demoPhone(server.ctx.config.dataDir, server.url, name, {
        onEvent: ({ type, payload_reference }) => {
          if (type === 'uploaded' && payload_reference) acknowledged.push(payload_reference)
        },
        // What is under way when the primary is lost gets no answer.
        fetch: (address, init) => fetch(address, { ...init, signal: AbortSignal.timeout(5000) }),
        retry: { tries: 1, firstPauseMs: 10, longestPauseMs: 10 },
      })
      for (let n = 0; !isLost; n++) {
        await device.record(recordingOf('SMS', messageOf(`Message ${n}`)).recording)
        await device.sync({ patience: 0 }).catch(() => undefined)
      }
    })
    await until('uploads', () => acknowledged.length >= 20)

    pair.stopReplica()
    await pause(WITHOUT_STANDBY)
    pair.killPrimary()
    isLost = true
    await Promise.all(devices)
    pair.startReplica()
    pair.promoteReplica()

    const rows = await pair.atReplica<{ payload_reference: string }>(
      `select payload_reference from payloads p join payload_states s on s.code = p.state where s.name = 'Uploaded'`,
    )
    const kept = new Set(rows.map(({ payload_reference }) => payload_reference))
    assert.deepEqual(
      acknowledged.filter((reference) => !kept.has(reference)),
      [],
    )
  },
)
