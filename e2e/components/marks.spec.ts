import type { Answer, Api } from '../../packages/contract/src/index.ts'
import { UNSET_FIELDS } from './unset-fields.ts'
import { expect, test } from './wire.ts'

const REFERENCE = '01K9Z00000000000000000CALL'
/** Maximum delay in milliseconds until two reviewers see each other's marks. */
const SEEN_WITHIN = 5_000

const marksOf = (...marks: Answer<Api['listMarks']>['marks']): Answer<Api['listMarks']> => ({
  payload_reference: REFERENCE,
  marks,
  own: 'not_own',
  heard: 'none',
  listeners: [],
  length: 8,
})

test('a colleague’s mark appears on the page within five seconds', async ({ page, wire }) => {
  await page.clock.install()
  wire.answers.readPayload = () => ({
    ...UNSET_FIELDS,
    client: 'acme',
    payload_reference: REFERENCE,
    payload_type: 'Call',
    payload_state: 'Failed',
    failure: 'wrong_checksum',
    payload_time: 1_790_000_000,
    device_reference: 'phone-1',
    device_user_reference: 'harriet',
    group: 'North',
    is_late: false,
    is_legacy: false,
    updated_at: 1_790_000_100,
    announced_at: 1_790_000_050,
    duration: 8,
    review: { mark: null, marked_by: null, heard: 'none', own: 'not_own' },
  })
  wire.answers.readPayloadAudit = () => ({
    payload_reference: REFERENCE,
    records: [],
    receipts: [],
    listeners: [],
    length: null,
  })
  wire.answers.listMarks = () => marksOf()
  await wire.show('call')
  const review = page.getByRole('region', { name: 'Review', exact: true })
  await expect(review).toContainText('Not marked')
  const mark = {
    reason: null,
    note: null,
    marked_at: 1_790_000_200,
    decided_at: null,
    decided_by: null,
    result: null,
    heard_seconds: 8,
    length: 8,
    is_too_little: false,
    withdrawn_at: null,
  }
  const flagged = {
    ...mark,
    mark: 'flagged',
    mark_id: '01K9Z0000000000000000000M1',
    marked_by: 'bob',
  } as const
  wire.answers.listMarks = () => marksOf(flagged)
  await page.clock.runFor(SEEN_WITHIN)
  await expect(review).toContainText('Flagged by bob')
  const reviewed = {
    ...mark,
    mark: 'reviewed',
    mark_id: '01K9Z0000000000000000000M2',
    marked_by: 'carol',
    marked_by_name: 'Carol Mendes',
  } as const
  wire.answers.listMarks = () => marksOf(reviewed, flagged)
  await page.clock.runFor(SEEN_WITHIN)
  await expect(review).toContainText('Reviewed by Carol Mendes')
  // Without the server a mark waits, and is sent once.
  wire.answers.addMark = () => ({ ...reviewed, mark: 'escalated', mark_id: '01K9Z0000000000000000000M3' })
  await page.route(/version\.json/, (route) => route.abort())
  await page.keyboard.press('e')
  await page.clock.runFor(SEEN_WITHIN)
  expect(wire.asked('addMark')).toEqual([])
  await page.unroute(/version\.json/)
  await page.clock.runFor(SEEN_WITHIN)
  await expect.poll(() => wire.asked('addMark')).toHaveLength(1)
  await page.clock.runFor(SEEN_WITHIN)
  await expect(page.getByText('Escalated')).not.toHaveCount(0)
  expect(wire.asked('addMark')).toHaveLength(1)
})
