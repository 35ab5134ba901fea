import type { Answer, Api } from '../../packages/contract/src/index.ts'
import { expect, refused, test, type Wire } from './wire.ts'

type Tag = Answer<Api['readTag']>

const tag = (tag_key: string, more: Partial<Tag> = {}): Tag => ({
  tag_key,
  tag_values: null,
  is_required: false,
  default_value: null,
  groups: 0,
  version: '1',
  updated_at: null,
  updated_by: null,
  ...more,
})

/** Answers as the server pages: by key, with the total when it is asked for. */
function serve(wire: Wire, tags: readonly Tag[]): void {
  wire.answers.listTags = ({ query }) => {
    const found = tags.filter(({ tag_key }) => tag_key.includes(query.get('search') ?? ''))
    if (query.get('type') === 'total') return { total: found.length }
    const from = found.findIndex(({ tag_key }) => tag_key === query.get('last_key')) + 1
    const data = found.slice(from, from + Number(query.get('limit')))
    const last = data.at(-1)
    return {
      count: data.length,
      data,
      ...(last && from + data.length < found.length ? { last_key: last.tag_key } : {}),
    }
  }
}
const numbered = (count: number) =>
  Array.from({ length: count }, (_, index) => tag(`tag ${String(index + 1).padStart(3, '0')}`))

test('each kind of column says what there is, and what it means that there is nothing', async ({
  page,
  wire,
}) => {
  serve(wire, [
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
})

test('the next page is read when its rows are near, from where the last one ended', async ({
  page,
  wire,
}) => {
  serve(wire, numbered(150))
  await wire.show('list')
  await expect(page.getByText('100 of 150 loaded')).toBeVisible()
  await page.getByRole('row').nth(1).focus()
  await page.keyboard.press('End')
  await expect(page.getByText('150 of 150 loaded')).toBeVisible()
  await page.keyboard.press('End')
  await expect(page.getByRole('row', { name: 'tag 150' })).toBeFocused()
  expect(wire.asked('listTags').map(({ query }) => query.get('last_key'))).toContain('tag 100')
})

test('filters stand in the address, under the names of the wire, and come back with it', async ({
  page,
  wire,
}) => {
  serve(wire, [tag('north'), tag('south')])
  await wire.show('list')
  await page.getByRole('textbox', { name: 'Search' }).fill('north')
  await expect(page).toHaveURL(/\/list\?search=north$/)
  await expect(page.getByRole('row', { name: 'north' })).toBeVisible()
  await expect(page.getByRole('row', { name: 'south' })).toHaveCount(0)
  await page.reload()
  await expect(page.getByRole('textbox', { name: 'Search' })).toHaveValue('north')
  await expect(page.getByRole('row', { name: 'south' })).toHaveCount(0)
  // The view with the same filters is the one that is open.
  await expect(page.getByRole('link', { name: 'North only' })).toHaveAttribute('aria-current', 'true')
  await page.getByRole('textbox', { name: 'Search' }).fill('west')
  await expect(page.getByText('No tags match')).toBeVisible()
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await expect(page.getByRole('row', { name: 'south' })).toBeVisible()
  await expect(page).toHaveURL(/\/list$/)
})

test('keys go through the rows, select, preview and open them', async ({ page, wire }) => {
  serve(wire, numbered(5))
  await wire.show('list')
  await expect(page.getByRole('row')).toHaveCount(6)
  await page.getByRole('row', { name: 'tag 001' }).focus()
  await page.keyboard.press('ArrowDown')
  await expect(page.getByRole('row', { name: 'tag 002' })).toBeFocused()
  await page.keyboard.press('ArrowDown')
  await expect(page.getByRole('row', { name: 'tag 003' })).toBeFocused()
  await page.keyboard.press(' ')
  await page.keyboard.press('Shift+ArrowUp')
  await expect(page.getByRole('toolbar', { name: 'Selected rows' })).toContainText('2 of 100 selected')
  await page.getByRole('button', { name: 'Clear the selection' }).click()
  await page.getByRole('row', { name: 'tag 002' }).focus()
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

test('who may create finds the drawer in the page and in the empty list; who may not finds neither', async ({
  page,
  wire,
}) => {
  serve(wire, [])
  await wire.show('list')
  await expect(page.getByText('No tags yet')).toBeVisible()
  await expect(page.getByRole('link', { name: 'Create tag' })).toHaveCount(2)
  await page.getByRole('link', { name: 'Create tag' }).first().click()
  await expect(page.getByRole('dialog', { name: 'new' })).toBeVisible()
  wire.without('tags:update')
  await wire.show('list')
  await expect(page.getByText('No tags yet')).toBeVisible()
  await expect(page.getByRole('link', { name: 'Create tag' })).toHaveCount(0)
})

test('a list that fails says why and is read again; one that is not allowed names the permission', async ({
  page,
  wire,
}) => {
  wire.answers.listTags = () => refused('internal')
  await wire.show('list')
  await expect(page.getByRole('alert').first()).toContainText('could not be loaded')
  serve(wire, numbered(1))
  await page.getByRole('main').getByRole('button', { name: 'Retry' }).click()
  await expect(page.getByRole('row', { name: 'tag 001' })).toBeVisible()
  wire.answers.listTags = () => refused('not_permitted')
  await wire.show('list')
  await expect(page.getByText('tags:list')).toBeVisible()
})
