import { getLocales, inBoth } from './locales.ts'
import { at, openSession, signIn, WORDS } from './person.ts'
import { expect, test } from './test.ts'

const words = WORDS['en-GB']

test('a list that fits the browser sorts by any column, in both directions', async ({ page }) => {
  await openSession(page, 'en-GB', 'acme', 'alice', '/dashboard/access/groups')
  const header = page.getByRole('columnheader', { name: 'Devices', exact: true })
  const devices = async () =>
    (await page.locator('main [title$=" expected"]').allTextContents()).map((text) =>
      Number(/\d+/.exec(text)?.[0]),
    )
  await header.getByRole('button').click()
  await expect(header).toHaveAttribute('aria-sort', 'descending')
  await expect.poll(async () => (await devices())[0]).toBe(Math.max(...(await devices())))
  const most = await devices()
  expect(most).toEqual(most.toSorted((a, b) => b - a))
  expect(most[0]).toBeGreaterThan(most.at(-1) ?? 0)
  await header.getByRole('button').click()
  await expect(header).toHaveAttribute('aria-sort', 'ascending')
  await expect.poll(devices).toEqual(most.toReversed())
  await page.reload()
  await expect(header).toHaveAttribute('aria-sort', 'ascending')
  await header.getByRole('button').click()
  await expect(header).not.toHaveAttribute('aria-sort')
})

test('a user without a role requests and sees no list, and learns who can assign one', async ({ page }) => {
  // This page stores the permissions.
  await openSession(page, 'en-GB', 'acme', 'carol')
  const asked: string[] = []
  page.on('request', (request) => asked.push(new URL(request.url()).pathname))
  await page.goto('/dashboard/services/calls')
  await expect(page.getByText('can give you a role')).toBeVisible()
  expect(asked.filter((path) => path.endsWith('/payloads'))).toEqual([])
  await expect(page.getByRole('navigation').getByRole('link', { name: words.calls })).toHaveCount(0)
})

const TEXTS = inBoth(
  {
    conflict: 'Alice Carter changed this during your edit',
    theirs: 'Take theirs: Contact',
    nothing: 'nothing is left to save',
  },
  {
    conflict: 'Alice Carter alterou isto durante a sua edição',
    theirs: 'Usar o outro: Contato',
    nothing: 'não há nada a salvar',
  },
)

for (const locale of getLocales(import.meta.url)) {
  const says = TEXTS[locale]
  test(`a user without permissions sees the contact, which two people edited at once, and the missing role (${locale})`, async ({
    browser,
  }) => {
    const open = async (user: string, path = '/dashboard') => {
      const page = await (await browser.newContext({ locale })).newPage()
      await openSession(page, locale, 'acme', user, at(locale, path))
      return page
    }
    const contact = `Ana Prado, +55 11 5555-0199 (${locale})`
    const alice = await open('alice', '/dashboard/account/settings')
    const ines = await open('ines', '/dashboard/account/settings')
    const typed = ines.getByLabel(says('Contact'), { exact: true })
    await typed.fill('Somewhere else')
    await alice.getByLabel(says('Contact'), { exact: true }).fill(contact)
    await alice.getByRole('button', { name: says('Save'), exact: true }).click()
    await expect(alice.getByText(says('Account settings saved'))).toBeVisible()
    await ines.getByRole('button', { name: says('Save'), exact: true }).click()
    const conflict = ines.getByRole('alert').filter({ hasText: says.conflict })
    await expect(conflict).toContainText('Somewhere else')
    await conflict.getByRole('button', { name: says.theirs }).click()
    await expect(typed).toHaveValue(contact)
    await expect(conflict).toContainText(says.nothing)
    const carol = await open('carol')
    await expect(carol.getByText(contact)).toBeVisible()
    const hugo = await open('hugo')
    await expect(hugo.getByText(contact)).toBeVisible()
    await expect(hugo.getByText(says('Your role does not exist yet'))).toBeVisible()
    await expect(hugo.getByText('Desk Reviewer')).toBeVisible()
  })
}

test('an administrators’ page names the permission that a reviewer lacks', async ({ page }) => {
  await openSession(page, 'en-GB', 'acme', 'bob', '/dashboard/access/roles')
  await expect(page.getByText('roles:list')).toBeVisible()
})

test('data that a script can read after sign-in is useless in another browser', async ({ browser }) => {
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
  expect(handles).not.toEqual([])
  const thief = await (await browser.newContext()).newPage()
  await thief.goto('/')
  for (const handle of handles) {
    const response = await thief.request.get(`/admin/v1/api/acme/exchange?refresh_token=${handle}`)
    expect(response.status()).toBe(401)
  }
})

test('a user, and no other, returns to the same page after a lost session but not after sign-out', async ({
  page,
}) => {
  const there = '/dashboard/services/calls?payload_types=Call&states=Processed'
  await signIn(page, 'en-GB', 'acme', 'alice')
  await page.goto(there)
  await expect(page.getByRole('row').nth(1)).toBeVisible()
  const lose = async () => {
    // The handle is unknown to the server.
    await page.evaluate(() =>
      localStorage.setItem('custodia.session', JSON.stringify({ client: 'acme', handle: 'x'.repeat(43) })),
    )
    await page.reload()
    await page.waitForURL(/\/sign-in/)
    await expect(page.getByText('Your session has ended. Sign in again.')).toBeVisible()
  }
  await lose()
  await signIn(page, 'en-GB', 'acme', 'alice')
  await expect.poll(() => new URL(page.url()).pathname + new URL(page.url()).search).toBe(there)

  await page.getByRole('button', { name: /alice/ }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.waitForURL(/\/sign-in/)
  await signIn(page, 'en-GB', 'acme', 'alice')
  await expect.poll(() => new URL(page.url()).pathname).toBe('/dashboard')

  await page.goto(there)
  await expect(page.getByRole('row').nth(1)).toBeVisible()
  await lose()
  await signIn(page, 'en-GB', 'acme', 'bob')
  await expect.poll(() => new URL(page.url()).pathname).toBe('/dashboard')
})

test('a failed call shows one notification at the bottom of the screen', async ({ page }) => {
  await openSession(page, 'en-GB', 'acme', 'alice', null)
  const result = page.locator('.mantine-Notification-root')
  // The last code is of a server that is newer than the page.
  for (const [path, failing, code] of [
    ['/dashboard/account/licenses', /\/licenses(\?|$)/, undefined],
    ['/dashboard/account/settings', /\/account\/defaults(\?|$)/, 'internal'],
    ['/dashboard/services/calls', /\/payloads\?/, 'unknown_yet'],
  ] as const) {
    await page.route(failing, (route) =>
      route.request().resourceType() === 'document'
        ? route.fallback()
        : route.fulfill({ status: 500, json: { error_code: 500, message: 'no', code } }),
    )
    await page.goto(path)
    await expect(result).toHaveCount(1)
    await expect(result).toContainText('An error occurred')
    await page.unroute(failing)
  }
  for (const path of [
    '/dashboard/access/roles/Nope',
    '/dashboard/access/groups?edit=Nope',
    '/dashboard/access/tags?edit=Nope',
    '/dashboard/account/alerts?preview=01ARZ3NDEKTSV4RRFFQ69G5FAV',
    '/dashboard/services/calls?preview=01ARZ3NDEKTSV4RRFFQ69G5FAV',
  ]) {
    await page.goto(path)
    await expect(result, path).toHaveCount(1)
    await expect(result).toContainText('Data not found')
  }
})

test('an unknown page shows "Page not found"', async ({ page }) => {
  await page.goto('/nothing/here')
  await expect(page.getByRole('heading', { name: 'Page not found' })).toBeVisible()
  await expect(page.getByText('Page Not Found: /nothing/here')).toBeVisible()
  // Not even the server can decode this path.
  await page.goto('/%E0%A4%A')
  await expect(page.getByText('Page Not Found: /%E0%A4%A')).toBeVisible()
})
