import { getLocales, inBoth } from './locales.ts'
import { at, openSession, watch } from './person.ts'
import { expect, type Locator, type Page, test } from './test.ts'

const SAYS = inBoth(
  {
    cards: ['Devices', 'Device users', 'App versions', 'OS versions'],
  },
  {
    cards: ['Dispositivos', 'Usuários de dispositivo', 'Versões do aplicativo', 'Versões do sistema'],
  },
)

/** Follows a count's link, compares the list's total, and returns. */
async function compare(page: Page, link: Locator, count: string): Promise<void> {
  await link.click()
  await expect(page).toHaveURL(/\/dashboard\/devices/)
  await expect(page.locator('h1 + .tabular')).toHaveText(count)
  await page.goBack()
}

for (const locale of getLocales(import.meta.url)) {
  const says = SAYS[locale]

  test.describe(`links from counts to lists (${locale})`, () => {
    test.use({ locale })

    test('each fleet number on the dashboard leads to a list of the same size', async ({ page }) => {
      const complaints = watch(page)
      await openSession(page, locale, 'acme', 'alice')
      let compared = 0
      for (const title of says.cards) {
        const rows = page.getByRole('region', { name: title, exact: true }).getByRole('row')
        await expect(rows.nth(1)).toBeVisible()
        for (let i = 1, count = await rows.count(); i < count; i++) {
          const shown = await rows.nth(i).locator('[data-strong]').innerText()
          await compare(page, rows.nth(i).getByRole('link'), shown)
          compared += Number(shown !== '0')
        }
      }
      expect(compared).toBeGreaterThan(5)
      expect(complaints).toEqual([])
    })

    test('each figure of a group leads to a list of the same size', async ({ page }) => {
      const complaints = watch(page)
      await openSession(page, locale, 'acme', 'alice', at(locale, '/dashboard/access/groups?preview=North'))
      const panel = page.getByRole('complementary')
      const links = panel.getByRole('table').getByRole('link')
      await expect(panel.getByRole('table', { name: says('By service') })).toBeVisible()
      // Counts of the group and its first services.
      expect(await links.count()).toBeGreaterThan(8)
      for (let i = 0; i < 8; i++) await compare(page, links.nth(i), await links.nth(i).innerText())
      expect(complaints).toEqual([])
    })
  })
}
