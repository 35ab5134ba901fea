import type { Answer, Api } from '../../packages/contract/src/index.ts'
import { UNSET_FIELDS } from './unset-fields.ts'
import { expect, test } from './wire.ts'

const REFERENCE = '01K9Z00000000000000000CALL'
/** Maximum delay in milliseconds until two reviewers see each other's marks. */
const SEEN_WITHIN = 5_000

const getMarks = (...marks: Answer<Api['listMarks']>['marks']): Answer<Api['listMarks']> => ({
  payload_reference: REFERENCE,
  marks,
  own: 'not_own',
  heard: 'none',
  listeners: [],
  length: 8,
})

const MARK = {
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

const CALL = {
  payload_type: 'Call',
  payload_state: 'Processed',
  payload_time: 1_790_000_000,
  device_reference: 'phone-1',
  device_user_reference: 'harriet',
  group: 'North',
  is_late: false,
  is_legacy: false,
  updated_at: 1_790_000_100,
  duration: 8,
} as const

test('marks by key do not put off the count and the poll for new calls', async ({ page, wire }) => {
  await page.clock.install()
  const references = [1, 2, 3, 4].map((nth) => `01K9Z0000000000000000CALL${nth}`)
  let first = 1
  wire.answers.listPayloads = ({ query }) =>
    query.get('type') === 'total'
      ? { total: 3 }
      : {
          count: 3,
          data: references.slice(first).map((payload_reference) => ({ ...CALL, payload_reference })),
        }
  wire.answers.addMark = () => ({
    ...MARK,
    mark: 'reviewed',
    mark_id: '01K9Z0000000000000000000M1',
    marked_by: 'alice',
  })
  await wire.show('dashboard/services/calls?mark=none')
  // The stage keeps no profile, which tells the keys of a list what the user may do.
  await page.evaluate((key) => {
    const session = localStorage.getItem('custodia.session')
    localStorage.setItem(key, JSON.stringify({ session, actions: ['payloads.marks:create'] }))
  }, 'custodia.actions')
  await page.getByRole('row').nth(1).focus()
  first = 0
  for (const marked of [1, 2, 3]) {
    await page.keyboard.press('r')
    await expect.poll(() => wire.asked('addMark')).toHaveLength(marked)
    await page.clock.runFor(12_000)
  }
  await expect(page.getByRole('button', { name: '1 new – show' })).toBeVisible({ timeout: 3000 })

  // A tab does not close over marks that the server does not have yet.
  const questions: string[] = []
  page.on('dialog', (dialog) => {
    questions.push(dialog.type())
    void dialog.dismiss()
  })
  let answer = () => {}
  const isAnswered = new Promise<void>((resolve) => (answer = resolve))
  await page.route('**/marks*', async (route) => {
    await isAnswered
    await route.fallback()
  })
  await page.keyboard.press('r')
  await page.close({ runBeforeUnload: true })
  await expect.poll(() => questions).toEqual(['beforeunload'])
  answer()
  await expect.poll(() => wire.asked('addMark')).toHaveLength(4)
  await page.close({ runBeforeUnload: true })
  await expect.poll(() => page.isClosed()).toBe(true)
})

test('the count follows each mark of rows that the list does not poll', async ({ page, wire }) => {
  const data = Array.from({ length: 60 }, (_, nth) => ({
    ...CALL,
    payload_reference: `01K9Z000000000000000CALL${nth + 10}`,
  }))
  wire.answers.listPayloads = ({ query }) =>
    query.get('type') === 'total'
      ? { total: data.length - wire.asked('addMark').length }
      : { count: data.length, data: data.slice(0, Number(query.get('limit'))) }
  wire.answers.addMark = () => ({
    ...MARK,
    mark: 'reviewed',
    mark_id: '01K9Z0000000000000000000M1',
    marked_by: 'alice',
  })
  await wire.show('dashboard/services/calls?mark=none')
  await page.evaluate((key) => {
    const session = localStorage.getItem('custodia.session')
    localStorage.setItem(key, JSON.stringify({ session, actions: ['payloads.marks:create'] }))
  }, 'custodia.actions')
  await expect(page.getByText('60 of 60 loaded')).toBeVisible()
  let probes = 0
  let answer = () => {}
  const isAnswered = new Promise<void>((resolve) => (answer = resolve))
  await page.route('**/version.json*', (route) => {
    probes++
    return route.fulfill({ json: {} })
  })
  await page.route('**/marks*', async (route) => {
    await isAnswered
    await route.fallback()
  })
  await page.getByRole('row').nth(1).focus()
  await page.keyboard.press('End')
  for (const key of ['r', 'k', 'r', 'k', 'r']) await page.keyboard.press(key)
  answer()
  await expect(page.getByText('60 loaded', { exact: true })).toBeVisible()
  await expect(page.getByText('57', { exact: true })).toBeVisible()
  // The answer to a mark shows that the server is reachable for the next one.
  expect(probes).toBe(1)
})

test('a colleague’s mark appears on the page within five seconds', async ({ page, wire }) => {
  await page.clock.install()
  let state: 'NotRecorded' | 'Failed' = 'NotRecorded'
  wire.answers.readPayload = () => ({
    ...UNSET_FIELDS,
    client: 'acme',
    payload_reference: REFERENCE,
    payload_type: 'Call',
    payload_state: state,
    ...(state === 'Failed' && { failure: 'wrong_checksum' as const }),
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
  wire.answers.listMarks = () => getMarks()
  const review = page.getByRole('region', { name: 'Review', exact: true })
  await wire.show('call')
  await expect(review).toContainText('Not marked')
  await expect(review).not.toContainText('Unheard')
  state = 'Failed'
  await wire.show('call')
  await expect(review).toContainText('Not marked · Unheard')
  const flagged = {
    ...MARK,
    mark: 'flagged',
    mark_id: '01K9Z0000000000000000000M1',
    marked_by: 'bob',
  } as const
  wire.answers.listMarks = () => getMarks(flagged)
  await page.clock.runFor(SEEN_WITHIN)
  await expect(review).toContainText('Flagged by bob')
  const reviewed = {
    ...MARK,
    mark: 'reviewed',
    mark_id: '01K9Z0000000000000000000M2',
    marked_by: 'carol',
    marked_by_name: 'Carol Mendes',
  } as const
  wire.answers.listMarks = () => getMarks(reviewed, flagged)
  await page.clock.runFor(SEEN_WITHIN)
  await expect(review).toContainText('Reviewed by Carol Mendes')
  // A key that is pressed while a mark is sent comes after it.
  let answer = () => {}
  const isAnswered = new Promise<void>((resolve) => (answer = resolve))
  await page.route('**/marks*', async (route) => {
    if (route.request().method() === 'POST') await isAnswered
    await route.fallback()
  })
  wire.answers.addMark = () => reviewed
  await page.keyboard.press('r')
  await page.clock.runFor(100)
  await page.keyboard.press('f')
  answer()
  const sent = async () => {
    await page.clock.runFor(100)
    return wire.asked('addMark').length
  }
  await expect.poll(sent).toBe(2)
  await page.clock.runFor(SEEN_WITHIN)
  expect(wire.asked('addMark').map(({ body }) => body)).toEqual([{ mark: 'reviewed' }, { mark: 'flagged' }])
  // Without the server a mark waits, and is sent once.
  wire.answers.addMark = () => ({ ...reviewed, mark: 'escalated', mark_id: '01K9Z0000000000000000000M3' })
  await page.route(/version\.json/, (route) => route.abort())
  await page.keyboard.press('e')
  await page.clock.runFor(SEEN_WITHIN)
  expect(wire.asked('addMark')).toHaveLength(2)
  await page.unroute(/version\.json/)
  await page.clock.runFor(SEEN_WITHIN)
  await expect.poll(() => wire.asked('addMark')).toHaveLength(3)
  await page.clock.runFor(SEEN_WITHIN)
  await expect(page.getByText('Escalated')).not.toHaveCount(0)
  expect(wire.asked('addMark')).toHaveLength(3)
})
