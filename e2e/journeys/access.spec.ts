import { expect, test } from '@playwright/test'
import { signIn, WORDS } from './person.ts'

const words = WORDS['en-GB']

test('a reviewer of another group, and another client, do not find a call', async ({ browser }) => {
  const open = async (client: string, user: string) => {
    const page = await (await browser.newContext()).newPage()
    await signIn(page, 'en-GB', client, user)
    return page
  }
  const alice = await open('acme', 'alice')
  await alice.goto('/dashboard/services/calls?groups=Trading%20Desk&types=Call')
  await expect(alice.getByRole('row').nth(1)).toBeVisible()
  await alice.getByRole('row').nth(1).click()
  await alice.keyboard.press('Enter')
  await alice.waitForURL(/\/calls\/[0-9A-Z]{26}/)
  const { pathname } = new URL(alice.url())

  for (const [client, user] of [
    ['acme', 'bob'],
    ['globex', 'gina'],
  ] as const) {
    const page = await open(client, user)
    await page.goto(pathname)
    await expect(page.getByText(words.notFound).first()).toBeVisible()
    await expect(page.getByRole('button', { name: words.play })).toHaveCount(0)
  }
})

test('somebody without a role sees no list, and is told which permission is missing', async ({ page }) => {
  await signIn(page, 'en-GB', 'acme', 'carol')
  await expect(page.getByRole('navigation').getByRole('link', { name: words.calls })).toHaveCount(0)
  await page.goto('/dashboard/services/calls')
  await expect(page.getByText('payloads:list')).toBeVisible()
})

test('what a script can read after sign-in is of no use in another browser', async ({ browser }) => {
  const context = await browser.newContext()
  const page = await context.newPage()
  await signIn(page, 'en-GB', 'acme', 'bob')
  const readable = await page.evaluate(() => ({
    cookies: document.cookie,
    storage: JSON.stringify([{ ...localStorage }, { ...sessionStorage }]),
  }))
  expect(readable.cookies).not.toContain('custodia-')
  expect(readable.storage).not.toMatch(/eyJ[\w-]+\.eyJ/)
  const handles = readable.storage.match(/[\w-]{43}/g) ?? []
  const thief = await (await browser.newContext()).newPage()
  await thief.goto('/')
  for (const handle of handles) {
    const response = await thief.request.get(`/admin/v1/api/acme/exchange?refresh_token=${handle}`)
    expect(response.status()).toBe(401)
  }
})

test('unknown pages say so', async ({ page }) => {
  await page.goto('/nothing/here')
  await expect(page.getByRole('heading', { name: 'Page not found' })).toBeVisible()
  await expect(page.getByText('Page Not Found: /nothing/here')).toBeVisible()
})
