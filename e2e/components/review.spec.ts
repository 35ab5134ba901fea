import type { Answer, Api } from '../../packages/contract/src/index.ts'
import { expect, refused, test, type Wire } from './wire.ts'

type Review = Answer<Api['reviewTag']>
type Impact = Review['impact']

const CALM: Impact = { locks_out: false, escalations: [], may_escalate: false, roles: [] }
const sample = (...first: string[]) => ({ is_all: false, count: first.length, first })
const GRANTED = {
  action: 'payloads:play',
  limit: 'reach' as const,
  payload_types: ['Call' as const],
  groups: sample('North', 'South'),
}

function validate(wire: Wire, impact: Partial<Impact>): void {
  wire.answers.reviewTag = () => ({
    problems: [],
    warnings: [],
    broken_count: 0,
    broken_groups: [],
    impact: { ...CALM, ...impact },
  })
  wire.answers.saveTag = () => ({
    tag_key: 'region',
    tag_values: null,
    is_required: false,
    default_value: null,
    groups: 0,
    client: 'acme',
    version: '2',
    updated_at: null,
    updated_by: null,
  })
}

test('a lock-out needs confirmation, and Cancel has the focus', async ({ page, wire }) => {
  validate(wire, { locks_out: true })
  await wire.show('review')
  await page.getByRole('button', { name: 'Save' }).click()
  const question = page.getByRole('dialog', { name: 'Save all the same?' })
  await expect(question).toContainText('This removes your own access')
  await expect(question.getByRole('button', { name: 'Cancel' })).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(question).toHaveCount(0)
  await expect.poll(() => wire.asked('saveTag')).toEqual([])
  await page.getByRole('button', { name: 'Save' }).click()
  await question.getByRole('button', { name: 'Save anyway' }).click()
  await expect(page.getByText('version 2')).toBeVisible()
  await expect(question).toHaveCount(0)
  await expect
    .poll(() => wire.asked('saveTag').map(({ query }) => query.get('confirm_lockout')))
    .toEqual(['true'])
})

test('the review before a save names escalated rights and changed roles, and a failed or changed form is reviewed again', async ({
  page,
  wire,
}) => {
  validate(wire, { escalations: [GRANTED] })
  await wire.show('review')
  await page.getByRole('button', { name: 'Save' }).click()
  const refusal = page.getByRole('dialog', { name: 'This cannot be saved' })
  await expect(refusal).toContainText('You cannot grant permissions beyond your own')
  await expect(refusal.getByRole('listitem')).toContainText('listen to recordings')
  await expect(refusal.getByRole('listitem')).toContainText('North, South')
  // Labels, never API names.
  await expect(refusal).not.toContainText(/payloads:|access:/)
  await expect(refusal.getByRole('listitem')).toContainText('for Call')
  await expect(refusal.getByRole('button', { name: 'Save anyway' })).toHaveCount(0)
  await refusal.getByRole('button', { name: 'Cancel' }).click()
  validate(wire, { escalations: [GRANTED], may_escalate: true })
  await page.getByRole('textbox', { name: 'Preset' }).fill('x')
  await page.getByRole('button', { name: 'Save' }).click()
  const question = page.getByRole('dialog', { name: 'Save all the same?' })
  await expect(question).toContainText('Saving raises a High security alert')
  await expect(question.getByRole('button', { name: 'Save anyway' })).toBeVisible()
  await question.getByRole('button', { name: 'Cancel' }).click()
  await expect(page.getByRole('dialog')).toHaveCount(0)

  // Changed roles list what they gain and lose, with the saved role first.
  const still = { actions_gained: [], actions_lost: [], groups_gained: sample(), groups_lost: sample() }
  const many = Array.from({ length: 14 }, (_, i) => ({
    ...still,
    role_reference: `Other ${i + 1}`,
    groups_lost: sample('Gone'),
  }))
  validate(wire, {
    roles: [
      {
        ...still,
        role_reference: 'Reviewer',
        groups_gained: sample('East'),
        actions_lost: ['payloads:download'],
      },
      { ...still, role_reference: 'Silent' },
      ...many,
    ],
  })
  await page.getByRole('textbox', { name: 'Preset' }).fill('y')
  await page.getByRole('button', { name: 'Save' }).click()
  const lines = page.getByRole('dialog').getByRole('listitem')
  await expect(lines.nth(0)).toContainText('This role')
  await expect(lines.nth(0)).toContainText('East')
  await expect(lines.nth(0)).toContainText('loses 1 right: download recordings')
  await expect(lines.nth(0).getByTitle('payloads:download')).toBeVisible()
  await expect(lines.nth(1)).toContainText('changes in networks, alerts or groups')
  // Twelve are named; others are counted.
  await expect(lines).toHaveCount(12)
  await expect(page.getByRole('dialog')).toContainText('and 4 more')
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()

  // A failed save shows its error, and changed values are reviewed again.
  validate(wire, { locks_out: true })
  wire.answers.saveTag = () => refused('internal')
  const earlier = wire.asked('reviewTag').length
  await page.getByRole('textbox', { name: 'Preset' }).fill('z')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: 'Save anyway' }).click()
  await expect(page.getByRole('alert').first()).toContainText('Internal Server Error')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await page.getByRole('textbox', { name: 'Preset' }).fill('other')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByRole('dialog', { name: 'Save all the same?' })).toBeVisible()
  await expect.poll(() => wire.asked('reviewTag')).toHaveLength(earlier + 2)
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()

  // A change without impact on rights is saved without a question.
  validate(wire, {})
  await page.getByRole('textbox', { name: 'Preset' }).fill('calm')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('version 2')).toBeVisible()
  await expect(page.getByRole('dialog')).toHaveCount(0)
})
