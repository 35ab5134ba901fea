import { inBoth, getLocales } from './locales.ts'
import { at, openSession, signIn, watch } from './person.ts'
import { expect, type Page, test } from './test.ts'

const SAID = inBoth({ signOut: 'Sign out', search: 'Search' }, { signOut: 'Sair', search: 'Buscar' })
/** A search of Alice. */
const WORDS = 'confidential merger'
const getPath = (page: Page) => new URL(page.url()).pathname

for (const locale of getLocales(import.meta.url)) {
  test.describe(`one session in all tabs (${locale})`, () => {
    test.use({ locale })

    test('new tabs open without another sign-in, and signing out signs out all tabs', async ({
      browser,
      page,
      context,
    }) => {
      // The terms are accepted before: no tab stops at them.
      await openSession(await (await browser.newContext({ locale })).newPage(), locale, 'acme', 'bob', null)
      const complaints = watch(page)
      await signIn(page, locale, 'acme', 'alice')
      await page.goto(at(locale, '/dashboard/services/calls?payload_types=Call'))
      const call = page.getByRole('row').nth(1).getByRole('link').first()
      // Rows render again while the list loads: repeat a missed press.
      await expect(async () => {
        await call.click({ modifiers: ['ControlOrMeta'], timeout: 5_000 })
        await expect.poll(() => context.pages().length, { timeout: 5_000 }).toBeGreaterThan(1)
      }).toPass()
      const [, clicked] = context.pages() as [Page, Page]
      // A background tab loads late. Playwright may miss its navigation and wait forever although the page is loaded.
      await clicked.bringToFront()
      process.env.PLAYWRIGHT_SKIP_NAVIGATION_CHECK = '1'
      await expect(clicked.getByRole('tab').first()).toBeVisible({ timeout: 40_000 })
      delete process.env.PLAYWRIGHT_SKIP_NAVIGATION_CHECK
      expect(getPath(clicked)).toMatch(/\/calls\/[0-9A-Z]{26}$/)

      const typed = await context.newPage()
      await typed.goto(at(locale, '/dashboard/account/audit'))
      await expect(typed.getByRole('row').nth(1)).toBeVisible()
      // Each tab refreshes in turn, and none signs the others out.
      await Promise.all([page, clicked, typed].map((each) => each.reload()))
      for (const each of [page, clicked, typed])
        await expect(each.locator('#main-navigation').getByRole('link').first()).toBeAttached()

      const field = page.getByLabel(SAID[locale]('Search text'))
      await page.goto(at(locale, '/dashboard/services/words'))
      await field.fill(WORDS)
      await page.getByRole('button', { name: SAID[locale].search, exact: true }).click()
      await expect(page.getByText(SAID[locale]('No results for these words'))).toBeVisible()
      expect(complaints).toEqual([])

      await page.getByRole('button', { name: /alice/ }).click()
      await page.getByRole('menuitem', { name: SAID[locale].signOut }).click()
      for (const each of [page, clicked, typed]) await each.waitForURL(/\/sign-in$/)
      // The next user does not return to Alice's pages.
      await signIn(clicked, locale, 'acme', 'bob')
      for (const each of [page, clicked, typed]) await each.waitForURL(/\/dashboard$/)
      // Nor are Alice's words searched again in Bob's name.
      await page.locator('#main-navigation a[href$="/services/words"]').click()
      await expect(field).toHaveValue('')
    })
  })
}

test('every waiting tab continues to its own page after one sign-in', async ({ context }) => {
  const there = ['/dashboard/services/messages', '/dashboard/account/audit?tab=devices']
  const pages = await Promise.all(there.map(() => context.newPage()))
  for (const [i, page] of pages.entries()) {
    await page.goto(there[i]!)
    await page.waitForURL(/\/sign-in$/)
  }
  const [first] = pages
  await signIn(first!, 'en-GB', 'acme', 'alice')
  for (const [i, page] of pages.entries())
    await page.waitForURL((url) => url.pathname + url.search === there[i])
})
