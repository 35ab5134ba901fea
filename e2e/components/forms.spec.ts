import { NO_BROKEN_GROUPS, NO_IMPACT, TAG } from './tags.ts'
import { expect, refused, test } from './wire.ts'

test('a form shows a fault at its field until the value changes, and asks before it discards changes', async ({
  page,
  wire,
}) => {
  await wire.show('new-tag')
  await page.getByRole('button', { name: 'Open' }).click()
  const key = page.getByRole('textbox', { name: 'Key' })
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(key).toBeFocused()
  await expect(key).toHaveAttribute('aria-invalid', 'true')
  await expect(page.getByRole('alert')).toContainText('Correct the fields below')
  await key.fill('region')
  await expect(key).not.toHaveAttribute('aria-invalid', 'true')
  await expect(page.getByRole('alert')).toHaveCount(0)
  await expect.poll(() => wire.asked('reviewTag')).toEqual([])

  wire.answers.reviewTag = () => NO_BROKEN_GROUPS
  wire.answers.saveTag = () => refused('already_exists')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(key).toHaveAccessibleDescription(/It exists already or was used before/)
  await expect.poll(() => wire.asked('saveTag')[0]?.headers['if-none-match']).toBe('*')
  await key.fill('desk')
  await expect(key).not.toHaveAccessibleDescription(/It exists already or was used before/)
  wire.answers.saveTag = () => ({ ...TAG, tag_key: 'desk' })
  await page.getByRole('button', { name: 'Save' }).dblclick()
  await expect(page.getByText('Tag desk saved')).toBeVisible()
  expect(wire.asked('saveTag'), 'the refused save, and one of two clicks').toHaveLength(2)
  await expect(page.getByRole('dialog')).toHaveCount(0)

  // It closes at once without changes.
  await page.getByRole('button', { name: 'Open' }).click()
  await expect(page.getByRole('dialog')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await page.getByRole('button', { name: 'Open' }).click()
  await key.fill('region')
  await page.keyboard.press('Escape')
  await expect(page.getByText('Leave without saving?')).toBeVisible()
  await page.getByRole('button', { name: 'Keep editing' }).click()
  await expect(key).toHaveValue('region')
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Discard changes' }).click()
  await expect(page.getByRole('dialog')).toHaveCount(0)
})

test('a form shows the impact before saving, reviews changed values again, and saves nothing beyond the user’s own rights', async ({
  page,
  wire,
}) => {
  const broken = { group_reference: 'Desk', problem: 'value', value: 'East', becomes: null } as const
  wire.answers.reviewTag = () => ({ ...NO_BROKEN_GROUPS, broken_count: 2, broken_groups: [broken] })
  wire.answers.saveTag = () => TAG
  await wire.show('new-tag')
  await page.getByRole('button', { name: 'Open' }).click()
  const key = page.getByRole('textbox', { name: 'Key' })
  await key.fill('region')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('2 groups violate this tag')).toBeVisible()
  await expect(page.getByRole('region', { name: 'Before saving' })).toBeFocused()
  await expect.poll(() => wire.asked('saveTag')).toEqual([])
  // Changed values have no review yet.
  await page.getByRole('switch', { name: /Required/ }).check({ force: true })
  await expect(page.getByText('2 groups violate this tag')).toHaveCount(0)
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: 'Apply to 2 groups' }).click()
  await expect(page.getByText('Tag region saved')).toBeVisible()
  await expect.poll(() => wire.asked('reviewTag')).toHaveLength(2)
  await expect
    .poll(() => wire.asked('saveTag').map(({ query }) => query.get('force_update')))
    .toEqual(['true'])
  await expect(page.getByRole('dialog')).toHaveCount(0)

  // The button that applies is red when it removes tags and not when it replaces values.
  await page.getByRole('button', { name: 'Open' }).click()
  const apply = page.getByRole('button', { name: 'Apply to 1 group' })
  for (const becomes of [null, 'North']) {
    wire.answers.reviewTag = () => ({
      ...NO_BROKEN_GROUPS,
      broken_count: 1,
      broken_groups: [{ ...broken, becomes }],
    })
    await key.fill(`becomes ${becomes}`)
    await expect(apply).toHaveCount(0)
    await page.getByRole('button', { name: 'Save' }).click()
    await expect(apply).toBeVisible()
    const [red = 0, , blue = 0] = await apply.evaluate((button) =>
      (getComputedStyle(button).backgroundColor.match(/\d+/g) ?? []).map(Number),
    )
    expect(becomes === null ? red - blue : blue - red, String(becomes)).toBeGreaterThan(50)
    await expect(page.getByText('removed')).toHaveCount(becomes === null ? 1 : 0)
  }

  const groups = { is_all: false, count: 1, first: ['North'] }
  const escalations = [{ action: 'payloads:play', limit: 'reach' as const, payload_types: [], groups }]
  wire.answers.reviewTag = () => ({ ...NO_BROKEN_GROUPS, impact: { ...NO_IMPACT, escalations } })
  await key.fill('beyond')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('You cannot grant permissions beyond your own')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Save anyway' })).toBeDisabled()
})

test('a form opens with the focus in its first field; after a concurrent change it says who changed what, keeps one of both values or takes the new record', async ({
  page,
  wire,
}) => {
  wire.answers.readTag = () => TAG
  wire.answers.reviewTag = () => NO_BROKEN_GROUPS
  wire.answers.saveTag = () => refused('changed_meanwhile')
  await wire.show('old-tag')
  await page.getByRole('button', { name: 'Open' }).click()
  const preset = page.getByRole('textbox', { name: 'Default' })
  await expect(preset).toHaveValue('North')
  // The key of a stored tag cannot be edited.
  await expect(page.getByRole('textbox', { name: 'Key' })).toHaveAttribute('readonly', '')
  await expect(preset).toBeFocused()
  await preset.fill('South')
  wire.answers.readTag = () => ({ ...TAG, default_value: 'West', is_required: true, version: '2' })
  await page.getByRole('button', { name: 'Save' }).click()
  const conflict = page.getByRole('alert').filter({ hasText: 'bob changed this during your edit' })
  await expect(conflict).toBeFocused()
  await expect(conflict).toContainText('Default: yours South, theirs West')
  // A field that only the other user changed is taken over.
  await expect(page.getByRole('switch', { name: /Required/ })).toBeChecked()
  await conflict.getByRole('button', { name: 'Take theirs: Default' }).click()
  await expect(preset).toHaveValue('West')
  await conflict.getByRole('button', { name: 'Keep mine: Default' }).click()
  await expect(preset).toHaveValue('South')
  wire.answers.readTag = () => ({ ...TAG, default_value: 'East', version: '3' })
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(conflict).toContainText('Default: yours South, theirs East')
  await conflict.getByRole('button', { name: 'Discard my changes and reload' }).click()
  await expect(conflict).toHaveCount(0)
  await expect(preset).toHaveValue('East')
  expect(wire.asked('saveTag').map(({ headers, body }) => [headers['if-match'], body])).toMatchObject([
    ['"1"', { default_value: 'South', is_required: false }],
    ['"2"', { default_value: 'South', is_required: true }],
  ])
})

test('a form reports a deleted record, and a read-only record has no buttons', async ({ page, wire }) => {
  wire.answers.readTag = () => refused('not_found')
  await wire.show('old-tag')
  await page.getByRole('button', { name: 'Open' }).click()
  await expect(
    page.getByRole('dialog').getByText('It does not exist, or your roles and groups do not allow it.'),
  ).toBeVisible()
  wire.answers.readTag = () => TAG
  wire.without('tags:update', 'tags:delete')
  await wire.show('old-tag')
  await page.getByRole('button', { name: 'Open' }).click()
  await expect(page.getByRole('textbox', { name: 'Default' })).toHaveAttribute('readonly', '')
  await expect(page.getByRole('button', { name: 'Save' })).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'Delete' })).toHaveCount(0)
})

test('a person is placed on legal hold for a matter, although the connection fails before the dialog has loaded', async ({
  context,
  page,
  wire,
}) => {
  const change = { updated_at: 1, updated_by: 'bob' }
  const open = { opened_at: 1, opened_by: 'bob', closed_at: null, closed_by: null, closed_confirmed_by: null }
  const matters = ['Inquiry of the regulator', 'Other'].map((name, i) => ({
    ...open,
    ...change,
    client: 'acme',
    people: 0,
    name,
    matter_id: `01JCQ5VX1000000000000000A${i}`,
  }))
  const person = { target_type: 'DeviceUser', target: 'harriet' } as const
  const counts = { protected: 3, already_destroyed: 0, is_capped: false }
  wire.answers.listLegalMatters = () => ({ data: matters, count: 2 })
  wire.answers.holdMatterPeople = () => ({ data: [{ ...person, status: 'Ok' }] })
  wire.answers.readLegalHold = () => ({
    ...person,
    ...change,
    ...counts,
    target_name: 'Harriet Cole',
    client: 'acme',
    created_at: 1,
    keeps_until: null,
    is_active: true,
    matters: ['Inquiry of the regulator'],
    periods: [],
  })
  await wire.show('person')
  await page.getByRole('button', { name: 'More actions' }).click()
  const place = page.getByRole('menuitem', { name: 'Place on legal hold' })
  await expect(place).toBeVisible()
  await context.setOffline(true)
  await expect(page.getByText('No connection to the server.')).toBeVisible()
  await place.click()
  await expect(place).toHaveCount(0)
  await expect(page.getByRole('heading', { name: 'Harriet Cole' })).toBeVisible()
  await context.setOffline(false)
  const dialog = page.getByRole('dialog', { name: 'Place Harriet Cole on legal hold' })
  const matter = dialog.getByRole('combobox', { name: 'Legal matter' })
  await expect(matter).toBeFocused()
  await matter.pressSequentially('regul')
  await expect(page.getByRole('option')).toHaveCount(1)
  await matter.press('Enter')
  await expect(matter).toHaveValue('Inquiry of the regulator')
  await dialog.getByRole('button', { name: 'Place on hold' }).click()
  await expect(page.getByText(/Harriet Cole is on hold/)).toBeVisible()
  await expect(dialog).toHaveCount(0)
  expect(wire.asked('holdMatterPeople').map(({ body }) => body)).toEqual([{ people: [person] }])
})
