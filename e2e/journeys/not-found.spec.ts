import { getLocales } from './locales.ts'
import { at, type Locale, openSession, visit, WORDS } from './person.ts'
import { expect, test } from './test.ts'

const SAID = {
  'en-GB': { gone: /^It does not exist, or /, retry: 'Retry', failed: 'Loading failed. Try again.' },
  'pt-BR': {
    gone: /^Não existe, ou /,
    retry: 'Tentar novamente',
    failed: 'Não foi possível carregar. Tente novamente.',
  },
} as const satisfies Record<Locale, Record<string, string | RegExp>>

/** A valid reference that does not exist. */
const NOBODYS = '01ARZ3NDEKTSV4RRFFQ69G5FAV'

/** Page of each record type, and its list, which differs from the next one's. */
const PAGES = [
  ['/dashboard/services/calls/', '/dashboard/services/calls'],
  ['/dashboard/devices/', '/dashboard/devices'],
  ['/dashboard/devices/users/', '/dashboard/devices/users'],
  ['/dashboard/access/roles/', '/dashboard/access/roles'],
  ['/dashboard/account/transfers/', '/dashboard/account/transfers'],
  ['/dashboard/account/transfers/config?reference=', '/dashboard/account/transfers?tab=configs'],
  ['/dashboard/account/migrations/', '/dashboard/account/migrations'],
  ['/dashboard/governance/destructions?certificate=', '/dashboard/governance/destructions'],
  ['/dashboard/governance/requests?request=', '/dashboard/governance/requests'],
  ['/dashboard/governance/destructions?destruction=', '/dashboard/governance/destructions'],
  ['/dashboard/governance/matters?matter=', '/dashboard/governance/matters'],
] as const

for (const locale of getLocales(import.meta.url)) {
  const stated = SAID[locale]

  test(`a missing record is reported with a link to its list (${locale})`, async ({ page }) => {
    await openSession(page, locale, 'acme', 'alice', at(locale, PAGES[0][0] + NOBODYS))
    const main = page.locator('main')
    // A malformed reference is reported like a missing one; a governance page shows its list.
    for (const reference of [NOBODYS, 'nobodys'])
      for (const [path, list] of PAGES) {
        if (reference !== NOBODYS && path.includes('/governance/')) continue
        await visit(page, at(locale, path + reference))
        await expect(main.getByRole('link').first()).toHaveAttribute('href', at(locale, list))
        await expect(main.getByText(stated.gone)).toBeVisible()
        // The notice says what happened, once; the page says why.
        if (reference === NOBODYS) await expect(page.getByText(WORDS[locale].notFound)).toHaveCount(1)
        await expect(main.getByText(stated.failed)).toHaveCount(0)
        await expect(main.getByRole('button', { name: stated.retry })).toHaveCount(0)
      }
  })

  test(`a record that fails to load can be retried (${locale})`, async ({ page }) => {
    await openSession(page, locale, 'acme', 'alice', null)
    await page.route('**/api/transfers/*', (route) =>
      route.fulfill({ status: 500, json: { error_code: 500, message: '-' } }),
    )
    await page.goto(at(locale, `/dashboard/account/transfers/${NOBODYS}`))
    await expect(page.getByText(stated.failed)).toBeVisible()
    await page.unroute('**/api/transfers/*')
    await page.getByRole('button', { name: stated.retry }).click()
    await expect(page.getByText(stated.gone)).toBeVisible()
  })
}
