import assert from 'node:assert/strict'
import { it } from 'node:test'
import { limitRepeats } from './limit-repeats.ts'

it('an error is reported once a minute, with the number of repeats left out', () => {
  let time = 0
  const lines: [string, number][] = []
  const report = limitRepeats(
    (error, message, left_out) => lines.push([`${message}: ${(error as Error).message}`, left_out]),
    () => time,
  )
  for (let second = 0; second <= 60; second++) {
    time = second * 1000
    report(new Error(`no answer (Queue: q${second})`), 'job queue')
  }
  report(new Error('refused'), 'job queue')
  assert.deepEqual(lines, [
    ['job queue: no answer (Queue: q0)', 0],
    ['job queue: no answer (Queue: q60)', 59],
    ['job queue: refused', 0],
  ])
})
