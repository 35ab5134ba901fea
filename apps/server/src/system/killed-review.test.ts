/** What reviewers were told is saved survives kill -9 of the process that said so. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { makeClient } from '@custodia/client'
import pg from 'pg'
import { type Installation, startInstallation } from '../testing/installation.ts'
import { signIn } from '../testing/person.ts'
import { demoPhone, recordingOf } from '../testing/phones.ts'

/** People's browsers that write at once, and how much of it is answered before the process is killed. */
const WRITERS = 4
const ANSWERED = 24

describe('acknowledged marks and comments', () => {
  let installation: Installation
  let owner: pg.Pool
  before(async () => {
    installation = await startInstallation(['api', 'api'])
    owner = new pg.Pool({ connectionString: installation.connection, max: 1 })
  })
  after(async () => {
    await owner?.end()
    await installation?.stop()
  })

  it('are stored with their audit entries after the server process is killed', async () => {
    const [first = '', second = ''] = installation.urls
    const phone = await demoPhone(installation.dataDir, second, 'Harriet')
    const { payload_reference, recording } = recordingOf('AbortedCall')
    await phone.record(recording)
    await phone.sync({ patience: 0 })
    const params = { payload_reference }
    const bob = await signIn(first, 'acme', 'bob')
    const { id_token } = await signIn(first, 'acme', 'alice')
    const alice = makeClient({
      baseUrl: second,
      client: () => 'acme',
      credentials: async () => ({ token: id_token }),
    })
    const answered: { id: string; stated: string }[] = []
    const victim = installation.processes[0]?.daemon
    let count = 0
    const write = async () => {
      for (;;) {
        const stated = `said ${++count}`
        if (count % 2 === 0) {
          const { mark_id } = await bob.api.addMark({ params, body: { mark: 'flagged', note: stated } })
          answered.push({ id: mark_id, stated })
        } else {
          const { comment_id } = await bob.api.addComment({ params, body: { message: stated } })
          answered.push({ id: comment_id, stated })
        }
        if (answered.length === ANSWERED) process.kill(victim?.pid ?? 0, 'SIGKILL')
      }
    }
    const ends = await Promise.allSettled(Array.from({ length: WRITERS }, write))
    assert.ok(ends.every(({ status }) => status === 'rejected'))
    assert.ok(answered.length >= ANSWERED)

    const { marks } = await alice.listMarks({ params })
    // And lists find it as marked, by its last mark.
    const flagged = await alice.listPayloads({ query: { service: 'calls', mark: 'flagged' } })
    assert.ok('data' in flagged)
    assert.ok(flagged.data.some((row) => row.payload_reference === payload_reference))
    const comments = await alice.listCommentsOfPayload({ params, query: { limit: 200 } })
    assert.ok('data' in comments)
    const kept = new Map([
      ...marks.map(({ mark_id, note }) => [mark_id, note] as const),
      ...comments.data.map(({ comment_id, comment_body }) => [comment_id, comment_body] as const),
    ])
    for (const { id, stated } of answered) assert.equal(kept.get(id), stated)
    // Whatever was written besides, unanswered, has its entries as well, and is counted.
    const { rows } = await owner.query(
      `select (select count(*)::int from payload_marks) as marks,
         (select sum(count)::int from review_days where act = 'flagged') as counted,
         (select count(*)::int from payload_audit where action = 'payloads.marks:create') as audited,
         (select count(*)::int from portal_activities where action = 'payloads.marks:create' and is_allowed) as logged`,
    )
    const total = marks.length
    assert.deepEqual(rows, [{ marks: total, counted: total, audited: total, logged: total }])
  })
})
