import { getLocales, inBoth } from './locales.ts'
import { at, openSession, visit, watch } from './person.ts'
import { expect, test } from './test.ts'

const SAYS = inBoth(
  {
    now: /^Calls: Phone silent$/i,
    fine: /^Calls$/i,
    calls: /^Call: /,
    handedOver: 'Phone of Harriet Cole uploaded a recording',
    asked: /looked up|fetched/,
  },
  {
    now: /^Chamadas: Telefone sem contato$/i,
    fine: /^Chamadas$/i,
    calls: /^Chamada: /,
    handedOver: 'Telefone de Harriet Cole enviou uma gravação',
    asked: /consultou|buscou/,
  },
)

for (const locale of getLocales(import.meta.url)) {
  const says = SAYS[locale]

  test.describe(`pages of devices (${locale})`, () => {
    test.use({ locale })

    test('show capture gaps, logs, uploads per month and person, and what a device did', async ({ page }) => {
      const complaints = watch(page)
      await openSession(page, locale, 'acme', 'alice', at(locale, '/dashboard/devices'))
      const menu = (name: string) => page.getByRole('navigation').getByRole('link', { name, exact: true })

      await test.step('a capture gap is listed and explained on the page of its user', async () => {
        await page
          .getByRole('main')
          .getByRole('link', { name: says('Capture'), exact: true })
          .click()
        await expect(page.getByRole('heading', { level: 1, name: says('Capture gaps') })).toBeVisible()
        const gap = page
          .getByRole('row')
          .filter({ hasText: 'Molly Pearce' })
          .filter({ hasText: says('Phone silent') })
        await expect(gap.first()).toContainText(says('Ongoing'))
        await expect(
          page
            .getByRole('row')
            .filter({ hasText: 'Nadia Volk' })
            .filter({ hasText: says('Online, but uploads nothing') })
            .first(),
        ).toBeVisible()
        await gap.first().click()
        await expect(page).toHaveURL(/\/dashboard\/devices\/users\/AC-1063.*tab=capture/)
        await expect(page.getByText(says.now)).toBeVisible()
        await expect(
          page
            .getByRole('row')
            .filter({ hasText: says('Phone silent') })
            .first(),
        ).toBeVisible()
        // A person without capture gaps.
        await visit(page, at(locale, '/dashboard/devices/users/AC-1042?tab=capture'))
        await expect(page.getByText(says('No gaps'), { exact: true })).toBeVisible()
        await expect(page.getByText(says.fine).first()).toBeVisible()
      })

      await test.step('problems are filtered, and the logs of a user’s devices are on the user’s page', async () => {
        await menu(says('Device logs')).click()
        await page.getByRole('link', { name: says('Problems'), exact: true }).click()
        await expect(page).toHaveURL(/levels=/)
        await expect(page.locator('main [aria-busy=true]')).toHaveCount(0)
        await page.getByRole('row').nth(1).click()
        await expect(page.getByText(says('Phone time zone')).last()).toBeVisible()
        await visit(page, at(locale, '/dashboard/devices/users/AC-1042'))
        await page.getByRole('link', { name: says('Logs'), exact: true }).click()
        await expect(page.getByRole('row').nth(1)).toBeVisible()
      })

      await test.step('the metrics show uploads per month and per user', async () => {
        await menu(says('Metrics')).click()
        // Default "all time": a row per device, holder, group and type.
        await expect(page.getByRole('row').nth(1)).toBeVisible()
        await page.getByRole('link', { name: says('Monthly'), exact: true }).click()
        await expect(page).toHaveURL(/scope=Monthly/)
        await expect(
          page.getByRole('region', { name: says('Over time') }).getByRole('img', { name: says.calls }),
        ).toBeVisible()
        await page.getByLabel(says('Counted by')).selectOption({ label: says('Device user') })
        await expect(page).toHaveURL(/by=users/)
        await expect(page.getByRole('row').nth(1)).toBeVisible()
        // Grouped by person: one row with a count per type.
        await visit(page, at(locale, '/dashboard/devices/metrics?by=users&device_user_reference=AC-1042'))
        await expect(page.getByRole('row').nth(1)).toContainText('Harriet Cole')
        await expect(page.getByRole('row')).toHaveCount(2)
      })

      await test.step('the device audit shows what a user’s device did and links to the device', async () => {
        await visit(page, at(locale, '/dashboard/account/audit'))
        await page
          .getByRole('main')
          .getByRole('link', { name: says('Devices'), exact: true })
          .click()
        await expect(page).toHaveURL(/tab=devices/)
        await visit(page, at(locale, '/dashboard/account/audit?tab=devices&device_user_reference=AC-1042'))
        const rows = page.getByRole('row').filter({ hasText: 'Harriet Cole' })
        const handedOver = rows.filter({ hasText: says.handedOver })
        await expect(handedOver.first()).toBeVisible()
        // Entries of this device only, without automatic calls.
        await expect(page.getByRole('row').filter({ hasText: /Marcus Reid|João Almeida/ })).toHaveCount(0)
        await expect(rows.filter({ hasText: says.asked })).toHaveCount(0)
        await page.getByRole('switch', { name: says('Include system activity') }).press('Space')
        await expect(rows.filter({ hasText: says.asked }).first()).toBeVisible()
        await page.getByRole('switch').press('Space')
        await expect(rows.filter({ hasText: says.asked })).toHaveCount(0)

        await handedOver.first().click()
        await page
          .getByRole('complementary')
          .getByRole('link', { name: /^…[0-9A-Z]{8}$/ })
          .click()
        await page.waitForURL(/\/dashboard\/devices\/[^/]+$/)
        await expect(page.getByRole('main').getByText('Harriet Cole').first()).toBeVisible()
      })

      expect(complaints).toEqual([])
    })
  })
}
