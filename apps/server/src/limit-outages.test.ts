import assert from 'node:assert/strict'
import { it } from 'node:test'
import { pino } from 'pino'
import { limitOutages } from './limit-outages.ts'
import { translatePgError, translateQueueError } from './ports/database/problem.ts'
import { ObjectStoreUnavailable } from './ports/objects/port.ts'

it('a part that is away is one line of the log a minute, whatever fails with it; other errors are all reported', () => {
  let time = 0
  const lines: { msg: string; left_out?: number }[] = []
  const log = pino({ hooks: limitOutages(() => time) }, { write: (line) => lines.push(JSON.parse(line)) })
  const refused = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' })
  for (let second = 0; second <= 60; second++) {
    time = second * 1000
    log.warn({ err: translatePgError(refused) }, `job ${second}`)
    // As the job queue reports it: a copy, with the name of the queue.
    const copy = { ...refused, message: `${refused.message} (Queue: q${second})` }
    log.error({ err: translateQueueError(copy) }, `queue ${second}`)
    if (second % 30 === 0)
      log.warn({ err: new ObjectStoreUnavailable('S3 did not answer') }, `objects ${second}`)
    if (second % 30 === 0) log.error({ err: new Error('a fault') }, `fault ${second}`)
  }
  assert.deepEqual(
    lines.map(({ msg, left_out }) => [msg, left_out]),
    [
      ['job 0', 0],
      ['objects 0', 0],
      ['fault 0', undefined],
      ['fault 30', undefined],
      ['job 60', 119],
      ['objects 60', 1],
      ['fault 60', undefined],
    ],
  )
})
