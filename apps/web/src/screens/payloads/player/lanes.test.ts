import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CallMeta, InterviewMeta } from '@custodia/contract'
import { interviewPauses, interviewTimes, partyLanes, pauseGaps } from './lanes.ts'

const common = {
  payload_reference: '01J9ZK3V5Q8Y7XH2M4N6P0RSTA',
  timezone: 'Europe/London',
  timezone_offset: 0,
  local_time: '2026-11-02T09:00:00',
  payload_time: 1000,
}
const call = (second_parties: unknown[]) =>
  CallMeta.parse({ ...common, payload_end_time: 1100, size: 1, second_parties })

test('a party lane shows ringing, connection and end', () => {
  const meta = call([
    { phone_number: '+44', direction: 'O', start_time: 1010, connection_time: 1014, duration: 60 },
  ])
  assert.deepEqual(partyLanes(meta, 100), [
    {
      party: { phone_number: '+44', contact_name: undefined },
      direction: 'O',
      from: 10,
      connected: 14,
      until: 74,
    },
  ])
})

test('a party that never answered has no connection time', () => {
  const [lane] = partyLanes(
    call([{ phone_number: null, direction: 'O', start_time: 1020, connection_time: null, duration: 5 }]),
    100,
  )
  assert.equal(lane?.connected, undefined)
  assert.deepEqual([lane?.from, lane?.until], [20, 25])
})

test('times outside the recording are limited to its length', () => {
  const [lane] = partyLanes(
    call([{ phone_number: '1', direction: 'I', start_time: 900, connection_time: 950, duration: 9999 }]),
    100,
  )
  assert.deepEqual([lane?.from, lane?.connected, lane?.until], [0, 0, 100])
})

test('earlier pauses are subtracted from the positions of later ones', () => {
  const meta = InterviewMeta.parse({
    ...common,
    payload_end_time: 1200,
    payload_duration: 150,
    interview_pause_times: [
      { start_time: 1110, duration: 20 },
      { start_time: 1030, duration: 30 },
    ],
  })
  assert.deepEqual(interviewPauses(meta, 150), [
    { at: 30, duration: 30 },
    { at: 80, duration: 20 },
  ])
})

test('an interview has separate recorded, paused and elapsed times', () => {
  const meta = InterviewMeta.parse({
    ...common,
    payload_end_time: 1200,
    payload_duration: 150,
    interview_pause_times: [{ start_time: 1030, duration: 50 }],
  })
  assert.deepEqual(interviewTimes(meta), { recorded: 150, paused: 50, elapsed: 200, pauses: 1 })
  assert.equal(interviewTimes(undefined), undefined)
})

test('each pause is a gap with a label where there is room', () => {
  const thousand = Array.from({ length: 1000 }, (_, i) => ({ at: i, duration: 5 }))
  const gaps = pauseGaps(thousand, 1000)
  assert.equal(gaps.length, 1000)
  const labelled = gaps.filter(({ hasRoom }) => hasRoom)
  assert.ok(labelled.length > 5 && labelled.length <= 13, String(labelled.length))
  assert.deepEqual(
    pauseGaps(
      [
        { at: 0, duration: 1 },
        { at: 50, duration: 2 },
      ],
      100,
    ).map(({ hasRoom }) => hasRoom),
    [true, true],
  )
})

test('missing meta gives no lanes, and a call has no pauses', () => {
  assert.deepEqual(partyLanes(undefined, 10), [])
  assert.deepEqual(
    interviewPauses(call([{ phone_number: '1', direction: 'I', start_time: 1, duration: 1 }]), 10),
    [],
  )
})
