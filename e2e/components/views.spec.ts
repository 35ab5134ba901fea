import { numbered, serveTags, tag } from './tags.ts'
import { expect, test } from './wire.ts'

test('an empty to-do view says that nothing is due, and other filters that nothing matches', async ({
  page,
  wire,
}) => {
  serveTags(wire, [tag('north')])
  await wire.show('list?search=due')
  await expect(page.getByText('Nothing is due')).toBeVisible()
  await expect(page.getByText('Tags that are due stand here.')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Clear filters' })).toHaveCount(0)
  await page.getByRole('button', { name: 'Show all' }).click()
  await expect(page.getByRole('row', { name: 'north' })).toBeVisible()
  await wire.show('list?search=duel')
  await expect(page.getByText('No tags match')).toBeVisible()
  await expect(page.getByText('Nothing is due')).toHaveCount(0)
})

test('a view is saved, renamed and deleted with the keyboard, and Escape closes only its form', async ({
  page,
  wire,
}) => {
  serveTags(wire, numbered(3))
  await page.addInitScript(() => {
    navigator.clipboard.writeText = () => Promise.reject(new DOMException('denied', 'NotAllowedError'))
  })
  await wire.show('list?search=00')
  const save = page.getByRole('button', { name: 'Save view' })
  const name = page.getByLabel('Name of the view')
  const menu = page.getByRole('button', { name: 'View', exact: true })
  const tab = (label: string) => page.getByRole('link', { name: label, exact: true })
  for (const label of ['First', 'Second']) {
    await save.press('Enter')
    await expect(name).toBeFocused()
    await page.keyboard.type('left')
    await page.keyboard.press('Escape')
    await expect(name).toHaveCount(0)
    await expect(save).toBeFocused()
    await save.press('Enter')
    // The text of a form that the user left is gone.
    await expect(name).toHaveValue('')
    if (label === 'Second') {
      // The saved view of that name stays as it is.
      await name.fill('FIRST')
      await name.press('Enter')
      await expect(page.getByText('Another view has this name.')).toBeVisible()
    }
    await name.fill(label)
    await name.press('Enter')
    await expect(tab(label)).toBeFocused()
    await page.getByRole('textbox', { name: 'Search' }).fill('001')
    await expect(page.getByRole('row')).toHaveCount(2)
  }
  const choose = async (label: string) => {
    await menu.press('Enter')
    const item = page.getByRole('menuitem', { name: label })
    await expect(item).toBeVisible()
    await item.press('Enter')
  }
  // A browser that forbids copying: the text is shown instead.
  await choose('Copy link to this view')
  const failure = page.getByRole('alert').filter({ hasText: 'The browser does not allow copying' })
  await expect(failure).toContainText(page.url())
  await choose('Rename the view')
  await expect(name).toHaveValue('Second')
  await expect(page.getByRole('dialog', { name: 'Rename the view' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(name).toHaveCount(0)
  await expect(menu).toBeFocused()
  await choose('Rename the view')
  // Keys count from the first: they replace the selected name.
  await page.keyboard.type('first')
  await page.keyboard.press('Enter')
  await expect(page.getByText('Another view has this name.')).toBeVisible()
  await expect(name).toBeFocused()
  await page.keyboard.press('Control+a')
  await page.keyboard.type('Third')
  await page.keyboard.press('Enter')
  await expect(tab('Third')).toBeFocused()
  await expect(page).toHaveURL(/view=my-third/)
  await expect(tab('Second')).toHaveCount(0)
  await choose('Delete the view')
  const question = page.getByRole('dialog', { name: 'Delete the view Third?' })
  await expect(question).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(question).toHaveCount(0)
  await expect(menu).toBeFocused()
  await expect(tab('Third')).toBeVisible()
  await choose('Delete the view')
  await question.getByRole('button', { name: 'Delete', exact: true }).press('Enter')
  await expect(tab('Third')).toHaveCount(0)
  await expect(tab('First')).toBeVisible()
  await expect(menu).toBeFocused()
})
