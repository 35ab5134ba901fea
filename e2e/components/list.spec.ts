import { numbered, serveTags, tag } from './tags.ts'
import { expect, refused, test } from './wire.ts'

test('each column shows its value or a text for an empty value', async ({ page, wire }) => {
  serveTags(wire, [
    tag('empty', { tag_values: [] }),
    tag('full', {
      tag_values: ['North', 'South'],
      is_required: true,
      groups: 1234,
      updated_at: 1_790_000_000,
    }),
  ])
  await wire.show('list')
  const rows = page.getByRole('row')
  await expect(rows.nth(1).getByRole('gridcell')).toHaveText(['', 'empty', 'any value', '', '0', 'Never', ''])
  await expect(rows.nth(2)).toContainText('North, South')
  await expect(rows.nth(2)).toContainText('Required')
  await expect(rows.nth(2)).toContainText('1,234')
  await expect(rows.nth(2).locator('time')).toHaveAttribute('datetime', '2026-09-21T14:13:20.000Z')
  await page.keyboard.press('ArrowDown')
  await expect(rows.nth(1)).toBeFocused()
})

test('the list loads the next page when the user reaches its rows', async ({ page, wire }) => {
  serveTags(wire, numbered(150), 100)
  wire.answers.noteExport = () => refused('not_permitted')
  await wire.show('list')
  await expect(page.getByText('100 of 100+ loaded')).toBeVisible()
  // A count that stopped is not the number of rows in the file.
  await page.getByRole('button', { name: 'Export all matching rows as CSV' }).click()
  await expect.poll(() => wire.asked('noteExport')[0]?.body).toEqual({ list: 'listTags', format: 'csv' })
  await page.getByRole('row').nth(1).focus()
  await page.keyboard.press('End')
  await expect(page.getByText('150 of 150 loaded')).toBeVisible()
  await page.keyboard.press('End')
  await expect(page.getByRole('row', { name: 'tag 150' })).toBeFocused()
  await expect
    .poll(() => wire.asked('listTags').map(({ query }) => query.get('last_key')))
    .toContain('tag 100')
})

test('text typed before the filters load goes into the search, and filters are kept in the address and restored from it', async ({
  page,
  wire,
}) => {
  serveTags(wire, [tag('north'), tag('south')])
  let arrive = () => {}
  const arrival = new Promise<void>((resolve) => (arrive = resolve))
  await page.route(/list-controls-.*\.js/, async (route) => {
    await arrival
    await route.continue()
  })
  await wire.show('list')
  await expect(page.getByRole('row', { name: 'north' })).toBeVisible()
  // A busy page draws no frame for seconds.
  await page.evaluate(() => (window.requestAnimationFrame = () => 0))
  await page.keyboard.press('/')
  await page.keyboard.type('nortx')
  await page.keyboard.press('Backspace')
  await page.keyboard.type('h')
  arrive()
  const search = page.getByRole('textbox', { name: 'Search' })
  await expect(search).toHaveValue('north')
  await expect(search).toBeFocused()
  await expect(page).toHaveURL(/\/list\?search=north$/)
  await expect(page.getByRole('row', { name: 'north' })).toBeVisible()
  await expect(page.getByRole('row', { name: 'south' })).toHaveCount(0)
  await page.reload()
  await expect(page.getByRole('textbox', { name: 'Search' })).toHaveValue('north')
  await expect(page.getByRole('row', { name: 'south' })).toHaveCount(0)
  // The view with the same filters is active.
  await expect(page.getByRole('link', { name: 'North only' })).toHaveAttribute('aria-current', 'true')
  await page.getByRole('textbox', { name: 'Search' }).fill('west')
  await expect(page.getByText('No tags match')).toBeVisible()
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await expect(page.getByRole('row', { name: 'south' })).toBeVisible()
  await expect(page).toHaveURL(/\/list$/)
})

test('a person is picked by name with Enter; the chip shows the name and the address keeps the reference', async ({
  page,
  wire,
}) => {
  serveTags(wire, [tag('north')])
  const people = [
    { user_reference: 'u-17', display_name: 'Bob Singh' },
    { user_reference: 'u-18', display_name: 'Nina Roth' },
  ]
  wire.answers.listPeople = ({ query }) => {
    const search = (query.get('search') ?? '').toLowerCase()
    const data = people
      .filter((each) => `${each.user_reference} ${each.display_name}`.toLowerCase().includes(search))
      .map((each) => ({
        ...each,
        client: 'acme',
        email: null,
        roles: [],
        user_group: null,
        groups: null,
        assignment: null,
        first_seen: null,
        last_seen: null,
        open_sessions: 0,
      }))
    return { count: data.length, data }
  }
  await wire.show('list')
  const head = page.getByRole('columnheader', { name: 'Key' })
  const person = page.locator('[data-list-filter]', { hasText: 'Person' })
  await expect(person).toBeVisible()
  const places = async () => [await head.boundingBox(), await person.boundingBox()]
  const before = await places()
  await page.getByRole('button', { name: 'Person' }).click()
  await expect(page.getByRole('option', { name: /Nina Roth/ })).toBeVisible()
  // Enter comes before the answer.
  await page.keyboard.type('sing')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/list\?person=u-17$/)
  const chip = page.getByRole('button', { name: 'Remove the filter Person: Bob Singh' })
  await expect(chip).toBeVisible()
  // A filter moves neither the rows nor its own button.
  expect(await places()).toEqual(before)
  await page.reload()
  await expect(chip).toBeVisible()
  await expect(page).toHaveURL(/\/list\?person=u-17$/)
  // Without a match the text is offered as a reference, and Enter alone does not choose it.
  await page.getByRole('button', { name: 'Person', exact: false }).first().click()
  await page.keyboard.type('zz9')
  await expect(page.getByRole('option', { name: 'zz9' })).toBeVisible()
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/list\?person=u-17$/)
  await page.getByRole('option', { name: 'zz9' }).click()
  await expect(page).toHaveURL(/\/list\?person=zz9$/)
})

test('keys pressed before the rows load move the focus later, and the keyboard moves through rows, selects, previews and opens them', async ({
  page,
  wire,
}) => {
  serveTags(wire, numbered(5))
  let arrive = () => {}
  const arrival = new Promise<void>((resolve) => (arrive = resolve))
  await page.route(/\/tags\?.*limit/, async (route) => {
    await arrival
    await route.fallback()
  })
  await wire.show('list')
  await expect(page.getByRole('status', { name: 'Loading' })).toBeVisible()
  await page.keyboard.press('j')
  await page.keyboard.press('j')
  arrive()
  await expect(page.getByRole('row', { name: 'tag 002' })).toBeFocused()
  await expect(page.getByRole('row')).toHaveCount(6)
  await page.keyboard.press('ArrowUp')
  await expect(page.getByRole('row', { name: 'tag 001' })).toBeFocused()
  await page.keyboard.press('ArrowDown')
  await expect(page.getByRole('row', { name: 'tag 002' })).toBeFocused()
  await page.keyboard.press('ArrowDown')
  await expect(page.getByRole('row', { name: 'tag 003' })).toBeFocused()
  const place = await page.getByRole('row', { name: 'tag 002' }).boundingBox()
  await page.keyboard.press(' ')
  await page.keyboard.press('Shift+ArrowUp')
  await expect(page.getByRole('toolbar', { name: 'Selected rows' })).toContainText('2 of 5 selected')
  // The actions of a selection do not move the rows.
  expect(await page.getByRole('row', { name: 'tag 002' }).boundingBox()).toEqual(place)
  // Escape leads from the bar to the rows, and from there ends the selection.
  await page.getByRole('button', { name: 'Export CSV' }).press('Escape')
  await expect(page.getByRole('row', { name: 'tag 002' })).toBeFocused()
  await expect(page.getByRole('toolbar')).toHaveCount(1)
  await page.keyboard.press('Escape')
  await expect(page.getByRole('toolbar')).toHaveCount(0)
  await page.keyboard.press(' ')
  await page.getByRole('button', { name: 'Clear the selection' }).click()
  await expect(page.getByRole('row', { name: 'tag 002' })).toBeFocused()
  await page.keyboard.press('o')
  await expect(page.getByText('Preview of tag 002')).toBeVisible()
  await page.keyboard.press('ArrowDown')
  await expect(page.getByText('Preview of tag 003')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByText('Preview of tag 003')).toHaveCount(0)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog', { name: 'tag 003' })).toBeVisible()
  await expect(page).toHaveURL(/\?edit=tag%20003$/)
  await page.getByRole('button', { name: 'Leave' }).click()
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect(page).toHaveURL(/\/list$/)
})

test('Ctrl+A selects rows instead of text, and the title of a sorted column keeps the focus', async ({
  page,
  wire,
}) => {
  serveTags(wire, numbered(5))
  await wire.show('list')
  await page.getByRole('row', { name: 'tag 002' }).getByRole('checkbox').click()
  await page.keyboard.press('Control+a')
  await expect(page.getByRole('toolbar', { name: 'Selected rows' })).toContainText('5 of 5 selected')
  expect(await page.evaluate(() => getSelection()?.toString())).toBe('')
  await page.keyboard.press('Escape')
  const title = page.getByRole('columnheader', { name: 'Key' }).getByRole('button')
  await title.focus()
  for (const first of ['tag 001', 'tag 005']) {
    await page.keyboard.press('Enter')
    await expect(page.getByRole('row').nth(1)).toContainText(first)
    await expect(title).toBeFocused()
  }
  await page.keyboard.press('ArrowDown')
  await expect(page.getByRole('row', { name: 'tag 005' })).toBeFocused()
})

test('the panel next to the list is resized by key and pointer, and comes back after a reload', async ({
  page,
  wire,
}) => {
  serveTags(wire, numbered(130))
  await wire.show('list')
  await page.getByRole('row').nth(1).focus()
  await page.keyboard.press('End')
  await expect(page.getByText('130 of 130 loaded')).toBeVisible()
  await page.keyboard.press('End')
  await page.keyboard.press('o')
  const panel = page.getByRole('complementary')
  const width = async () => (await panel.boundingBox())?.width
  await expect(panel).toContainText('Preview of tag 130')
  expect(await width()).toBe(400)
  const handle = panel.getByRole('separator')
  await handle.focus()
  await page.keyboard.press('ArrowLeft')
  await expect.poll(width).toBe(416)
  const box = await handle.boundingBox()
  if (!box) throw new Error('no handle')
  await page.mouse.move(box.x + 5, 300)
  await page.mouse.down()
  await page.mouse.move(box.x - 45, 300)
  await page.mouse.up()
  await expect.poll(width).toBe(466)
  // The address opens the row again: its page is loaded, and the cursor is there.
  await page.reload()
  await expect(panel).toContainText('Preview of tag 130')
  await expect(page.getByRole('row', { name: 'tag 130' })).toBeFocused()
  await expect.poll(width).toBe(466)
  await page.keyboard.press('k')
  await expect(panel).toContainText('Preview of tag 129')
  await handle.focus()
  await page.keyboard.press('Escape')
  await expect(panel).toHaveCount(0)
  await expect(page.getByRole('row', { name: 'tag 129' })).toBeFocused()
})

test('only a user with the permission sees the create link', async ({ page, wire }) => {
  serveTags(wire, [])
  await wire.show('list')
  await expect(page.getByText('No tags yet')).toBeVisible()
  await expect(page.getByRole('link', { name: 'Create tag' })).toHaveCount(1)
  await page.getByRole('link', { name: 'Create tag' }).click()
  await expect(page.getByRole('dialog', { name: 'new' })).toBeVisible()
  wire.without('tags:update')
  await wire.show('list')
  await expect(page.getByText('No tags yet')).toBeVisible()
  await expect(page.getByRole('link', { name: 'Create tag' })).toHaveCount(0)
})

test('a failed list can be retried, and a forbidden one names the permission', async ({ page, wire }) => {
  wire.answers.listTags = () => refused('internal')
  await wire.show('list')
  await expect(page.getByRole('alert').first()).toContainText('Loading failed')
  serveTags(wire, numbered(1))
  await page.getByRole('main').getByRole('button', { name: 'Retry' }).click()
  await expect(page.getByRole('row', { name: 'tag 001' })).toBeVisible()
  wire.answers.listTags = () => refused('not_permitted')
  await wire.show('list')
  await expect(page.getByText('tags:list')).toBeVisible()
})

test('Escape moves the focus from the search to the found rows', async ({ page, wire }) => {
  serveTags(wire, numbered(30))
  await wire.show('list')
  const search = page.getByRole('textbox', { name: 'Search' })
  await search.fill('02')
  await page.keyboard.press('Escape')
  // New rows replace the old ones: the focus stays among them.
  await expect(page.getByRole('row')).toHaveCount(12)
  await expect(page.getByRole('row', { name: 'tag 002' })).toBeFocused()
  await expect(search).toHaveValue('02')
  await page.keyboard.press('j')
  await expect(page.getByRole('row', { name: 'tag 020' })).toBeFocused()
  // From a filter, too.
  await page.keyboard.press('t')
  await expect(page.locator('[data-list-filter]')).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('row', { name: 'tag 020' })).toBeFocused()
  // Without rows the title gets the focus, and the body never.
  await page.keyboard.press('/')
  await search.fill('none')
  await page.keyboard.press('Escape')
  await expect(page.getByRole('row', { name: 'tag' })).toHaveCount(0)
  await expect(page.getByRole('heading', { name: 'Tags' })).toBeFocused()
  // The field alone shows the search; its button empties it and keeps the focus there.
  await expect(page.getByRole('list', { name: 'Active filters' })).toHaveCount(0)
  await page.getByRole('button', { name: 'Clear', exact: true }).click()
  await expect(search).toBeFocused()
})

test('a pressed row opens even if other rows have replaced it', async ({ page, wire, context }) => {
  serveTags(wire, numbered(30))
  await wire.show('list')
  const row = page.getByRole('row', { name: 'tag 003' })
  for (const place of ['gridcell', 'link'] as const) {
    const box = await row
      .getByRole(place)
      .nth(place === 'link' ? 0 : 2)
      .boundingBox()
    if (box === null) throw new Error('the row is not drawn')
    await page.keyboard.down('Control')
    await page.mouse.move(box.x + 4, box.y + box.height / 2)
    await page.mouse.down()
    await page.getByRole('link', { name: 'North only' }).evaluate((link: HTMLElement) => link.click())
    await expect(page.getByText('No tags match')).toBeVisible()
    const opening = context.waitForEvent('page')
    await page.mouse.up()
    await page.keyboard.up('Control')
    expect((await opening).url()).toMatch(/edit=tag%20003$/)
    await page.getByRole('link', { name: 'All' }).click()
    await expect(row).toBeVisible()
  }
  // A row that stays opens once.
  const before = context.pages().length
  const opening = context.waitForEvent('page')
  await row
    .getByRole('gridcell')
    .nth(2)
    .click({ modifiers: ['Control'] })
  await opening
  expect(context.pages()).toHaveLength(before + 1)
  await row.getByRole('gridcell').nth(2).click()
  await expect(page.getByRole('dialog', { name: 'tag 003' })).toBeVisible()
})

test('an empty column is hidden unless the user shows it', async ({ page, wire }) => {
  serveTags(wire, numbered(3))
  await wire.show('list')
  const required = page.getByRole('columnheader', { name: 'Required' })
  await expect(page.getByRole('columnheader', { name: 'Groups' })).toBeVisible()
  await expect(required).toHaveCount(0)
  await page.getByRole('button', { name: 'Columns and density' }).click()
  await page.getByRole('checkbox', { name: 'Required (empty here)' }).check()
  await expect(required).toBeVisible()
  await page.reload()
  await expect(required).toBeVisible()
  // A column with values appears.
  await page.evaluate(() => localStorage.clear())
  serveTags(wire, [...numbered(3), tag('tag 004', { is_required: true })])
  await page.reload()
  await expect(required).toBeVisible()
})

test('a long text ends with a whole line inside its row, whatever the density', async ({ page, wire }) => {
  const words = Array.from({ length: 60 }, (_, index) => `gypsy ${index}`)
  serveTags(wire, [tag('tag', { tag_values: words }), tag('next')])
  await wire.show('list')
  const row = page.getByRole('row').nth(1)
  const cell = row.getByRole('gridcell').filter({ hasText: 'gypsy' })
  /** Height of the row and the cell, and pixels that letters reach above or below the cell. */
  const heights = () =>
    cell.evaluate((element) => {
      const range = document.createRange()
      range.selectNodeContents(element.firstElementChild ?? element)
      const box = element.getBoundingClientRect()
      const line = range.getClientRects()[0] ?? box
      return {
        row: element.closest('[role=row]')?.clientHeight ?? 0,
        cell: box.height,
        above: Math.max(0, box.top - line.top),
      }
    })
  for (const [density, lines] of [
    ['Compact', 1],
    ['Comfortable', 2],
  ] as const) {
    await page.getByRole('button', { name: 'Columns and density' }).click()
    await page.getByText(density, { exact: true }).click()
    await page.keyboard.press('Escape')
    await expect.poll(async () => (await heights()).cell).toBe(lines * 16 + 2)
    const { row: height, above } = await heights()
    expect(height).toBeGreaterThanOrEqual(lines * 16 + 2)
    expect(above).toBeLessThan(1)
  }
})

test('columns out of view are counted, and a button scrolls to them', async ({ page, wire }) => {
  await page.setViewportSize({ width: 700, height: 600 })
  serveTags(wire, [tag('tag', { is_required: true })])
  await wire.show('list')
  await page.getByRole('button', { name: '1 more column' }).click()
  await expect(page.getByRole('columnheader', { name: 'Updated' })).toBeInViewport()
  await page.getByRole('button', { name: /more column/ }).click()
  await expect(page.getByRole('button', { name: '1 more column' })).toBeVisible()
  await page.setViewportSize({ width: 1200, height: 600 })
  await expect(page.getByRole('button', { name: /more column/ })).toHaveCount(0)
})

test('the focus stays at the cursor position when the rows are replaced', async ({ page, wire }) => {
  serveTags(wire, numbered(30))
  await wire.show('list?search=02')
  await expect(page.getByRole('row', { name: 'tag 002' })).toBeVisible()
  let arrive = () => {}
  const arrival = new Promise<void>((resolve) => (arrive = resolve))
  await page.route(/\/tags\?.*limit/, async (route) => {
    await arrival
    await route.fallback()
  })
  await page.getByRole('button', { name: 'Clear', exact: true }).click()
  const search = page.getByRole('textbox', { name: 'Search' })
  await expect(search).toBeFocused()
  // The old rows are still shown; their first one becomes the second of the new ones.
  await page.keyboard.press('Escape')
  await expect(page.getByRole('row', { name: 'tag 002' })).toBeFocused()
  arrive()
  await expect(page.getByRole('row', { name: 'tag 001' })).toBeFocused()
})

test('the outcome of a partial clear names the loaded alerts and counts the others', async ({
  page,
  wire,
}) => {
  const outcomes = ['Ok', 'OtherIssuer', 'OtherIssuer'] as const
  wire.answers.clearAlerts = () => ({
    alerts: outcomes.map((status, i) => ({ alert_reference: `01K9Z00000000000000000000${i}`, status })),
    is_cut: false,
  })
  await wire.show('alerts')
  await page.getByRole('button', { name: 'Clear…' }).click()
  await page.getByRole('textbox', { name: 'Reason' }).fill('Known outage')
  await page.getByRole('button', { name: 'Clear', exact: true }).click()
  const result = page.getByRole('dialog', { name: 'Not all alerts were cleared' })
  await expect(result.getByRole('listitem')).toHaveText([
    /^2 other alerts.*previous identity provider/,
    /^1 other alert.*Cleared/,
  ])
})
