import { expectAccessible } from './accessibility.ts'
import { getLocales, inBoth } from './locales.ts'
import { at, openSession, watch } from './person.ts'
import { expect, test } from './test.ts'

const SAYS = inBoth(
  {
    apps: /applications/,
  },
  {
    apps: /aplicativos/,
  },
)

for (const locale of getLocales(import.meta.url)) {
  const says = SAYS[locale]
  test.describe(`device telemetry (${locale})`, () => {
    test.use({ locale })

    test('is listed for all devices, shown on a device page and decrypted on demand', async ({ page }) => {
      const complaints = watch(page)
      // A system may name a language that is none: charts are drawn all the same.
      await page.addInitScript(() =>
        Object.defineProperty(Navigator.prototype, 'language', { get: () => 'en-US@posix' }),
      )
      await openSession(page, locale, 'acme', 'alice', at(locale, '/dashboard/devices?tab=telemetry'))
      await page.getByRole('link', { name: says('Latest per phone'), exact: true }).click()
      await expect(page).toHaveURL(/latest=/)
      await page.getByRole('row').nth(1).click()
      await expect(page.getByRole('button', { name: says('Open numbers and applications') })).toBeVisible()
      const device = page.locator('a[href*="/dashboard/devices/0"]').last()
      await device.click()
      // The previous list has a tab of this name as well.
      const tab = page.getByRole('link', { name: says('Telemetry'), exact: true })
      await tab.and(page.locator('[href*="/devices/0"]')).click()
      await expect(
        page
          .getByRole('figure')
          .filter({ hasText: says('Battery') })
          .locator('canvas'),
      ).toBeVisible()
      await page.getByText(says('As a table')).click()
      await expect(page.getByRole('row').nth(1)).toBeVisible()
      await page.getByRole('button', { name: says('Open numbers and applications') }).click()
      await expect(page.getByRole('heading', { name: says('Sealed by the phone') })).toBeVisible()
      await expect(page.getByText(says.apps).last()).toBeVisible()
      await page.getByText(says('Original report')).click()
      await expect(page.locator('pre')).toContainText('sim_numbers')
      await expectAccessible(page)
      expect(complaints).toEqual([])
    })

    test('shows device data to the provider without any data of their users', async ({ page }) => {
      const complaints = watch(page)
      await openSession(page, locale, 'admin', 'erin', at(locale, '/internal/statistics?tab=telemetry'))
      await page.getByRole('row').nth(1).click()
      await expect(page.getByText(says('Battery')).last()).toBeVisible()
      await expect(page.getByRole('button', { name: says('Open numbers and applications') })).toHaveCount(0)
      await expect(page.locator('main')).not.toContainText('Harriet')
      await expectAccessible(page)
      expect(complaints).toEqual([])
    })
  })
}
