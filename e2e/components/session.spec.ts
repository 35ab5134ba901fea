import type { Page } from '@playwright/test'
import { NO_BROKEN_GROUPS, TAG } from './tags.ts'
import { expect, refused, test, type Wire } from './wire.ts'

/** Types into the form of a tag, saves with a token that the server rejects, and waits for the question. */
async function saveWithEndedSession(page: Page, wire: Wire): Promise<void> {
  wire.answers.readTag = () => TAG
  wire.answers.reviewTag = () => NO_BROKEN_GROUPS
  wire.answers.saveTag = () => refused('session_ended')
  await wire.show('dashboard/old-tag')
  await page.getByRole('button', { name: 'Open' }).click()
  await page.getByRole('textbox', { name: 'Default' }).fill('South')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByRole('dialog', { name: 'Sign in again' })).toBeVisible()
  wire.answers.exchange = () => ({ id_token: 'new token', expires_in: 300 })
}

/** Signs in in another window of the browser. */
async function signInElsewhere(page: Page): Promise<void> {
  const other = await page.context().newPage()
  await other.route('**/*', (route) => route.fulfill({ contentType: 'text/html', body: '' }))
  await other.goto('/')
  await other.evaluate(() =>
    localStorage.setItem('custodia.session', JSON.stringify({ client: 'acme', handle: 'new' })),
  )
  await other.close()
}

test('a form whose session ended keeps its text, and is saved once its user has signed in again', async ({
  page,
  wire,
}) => {
  await saveWithEndedSession(page, wire)
  await expect(page.getByRole('textbox', { name: 'Default' })).toHaveValue('South')
  wire.answers.saveTag = () => ({ ...TAG, default_value: 'South', version: '2' })
  await signInElsewhere(page)
  await expect(page.getByText('Tag region saved')).toBeVisible()
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect
    .poll(() => wire.asked('saveTag').map(({ headers }) => headers.authorization))
    .toEqual(['Bearer token', 'Bearer new token'])
})

test('another person who signs in does not inherit the form', async ({ page, wire }) => {
  await saveWithEndedSession(page, wire)
  const alice = wire.answers.readProfile
  wire.answers.readProfile = (asked) => {
    const profile = alice?.(asked)
    return profile !== undefined && 'user_reference' in profile
      ? { ...profile, user_reference: 'bob' }
      : refused('not_found')
  }
  await signInElsewhere(page)
  await expect(page).toHaveURL(/\/dashboard$/)
  await expect(page.getByRole('textbox')).toHaveCount(0)
  await expect.poll(() => wire.asked('saveTag')).toHaveLength(1)
})

test('a form without a connection waits, and is saved once when the connection is back', async ({
  context,
  page,
  wire,
}) => {
  wire.answers.reviewTag = () => NO_BROKEN_GROUPS
  wire.answers.saveTag = () => TAG
  await wire.show('dashboard/new-tag')
  const open = page.getByRole('button', { name: 'Open' })
  const fill = async (preset: string) => {
    await page.getByRole('textbox', { name: 'Key' }).fill('region')
    await page.getByRole('textbox', { name: 'Default' }).fill(preset)
  }
  await open.click()
  await fill('East')
  const place = await page.getByRole('main').boundingBox()
  await context.setOffline(true)
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Your changes are saved when it is back.')).toBeVisible()
  await expect(page.getByText('1 change waits.')).toBeVisible()
  expect(await page.getByRole('main').boundingBox()).toEqual(place)
  // A form that the user discards is not sent later.
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Discard changes' }).click()
  await expect(page.getByText('1 change waits.')).toHaveCount(0)
  await open.click()
  await fill('South')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('1 change waits.')).toBeVisible()
  expect(wire.asked('reviewTag')).toEqual([])
  await context.setOffline(false)
  await expect(page.getByText('Tag region saved')).toBeVisible()
  await expect(page.getByText('No connection to the server.')).toHaveCount(0)
  expect(wire.asked('saveTag').map(({ body }) => body)).toMatchObject([{ default_value: 'South' }])
})

test('a save before the portal notices that the server is gone is sent once the server answers', async ({
  page,
  wire,
}) => {
  wire.answers.reviewTag = () => NO_BROKEN_GROUPS
  wire.answers.saveTag = () => TAG
  await wire.show('dashboard/new-tag')
  await page.getByRole('button', { name: 'Open' }).click()
  await page.getByRole('textbox', { name: 'Key' }).fill('region')
  await page.getByRole('textbox', { name: 'Default' }).fill('East')
  await page.route(/version\.json|\/admin\//, (route) => route.abort())
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Your changes are saved when it is back.')).toBeVisible()
  await expect(page.getByRole('textbox', { name: 'Default' })).toHaveValue('East')
  await page.unroute(/version\.json|\/admin\//)
  await expect(page.getByText('Tag region saved')).toBeVisible()
  expect(wire.asked('saveTag').map(({ body }) => body)).toMatchObject([{ default_value: 'East' }])
})

test('a list that cannot reach the server says so, and loads by itself afterwards', async ({
  page,
  wire,
}) => {
  wire.answers.listTags = () => ({ data: [TAG], count: 1 })
  await page.route('**/tags*', (route) => route.abort())
  await wire.show('dashboard/list')
  await expect(page.getByText('No connection to the server.')).toBeVisible()
  await page.unroute('**/tags*')
  await expect(page.getByText('region')).toBeVisible()
  await expect(page.getByText('No connection to the server.')).toHaveCount(0)
})
