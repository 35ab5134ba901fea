import { expect, test } from './test.ts'
import { localesOf } from './locales.ts'
import { at, openSession, watch } from './person.ts'

const SAYS = {
  'en-GB': {
    metrics: 'Metrics',
    monthly: 'Monthly',
    series: 'Over time',
    by: 'Counted by',
    user: 'Device user',
    calls: /^Call: /,
  },
  'pt-BR': {
    metrics: 'Métricas',
    monthly: 'Por mês',
    series: 'Ao longo do tempo',
    by: 'Contar por',
    user: 'Usuário de dispositivo',
    calls: /^Chamada: /,
  },
} as const

for (const locale of localesOf(import.meta.url)) {
  const says = SAYS[locale]
  test.describe(`device metrics (${locale})`, () => {
    test.use({ locale })

    test('show uploads per month and per user', async ({ page }) => {
      const complaints = watch(page)
      await openSession(page, locale, 'acme', 'alice')
      await page.getByRole('navigation').getByRole('link', { name: says.metrics, exact: true }).click()
      // Default "all time": a row per device, holder, group and type.
      await expect(page.getByRole('row').nth(1)).toBeVisible()
      await page.getByRole('link', { name: says.monthly, exact: true }).click()
      await expect(page).toHaveURL(/scope=Monthly/)
      await expect(
        page.getByRole('region', { name: says.series }).getByRole('img', { name: says.calls }),
      ).toBeVisible()
      await page.getByLabel(says.by).selectOption({ label: says.user })
      await expect(page).toHaveURL(/by=users/)
      await expect(page.getByRole('row').nth(1)).toBeVisible()
      // Grouped by person: one row with a count per type.
      await page.goto(at(locale, '/dashboard/devices/metrics?by=users&device_user_reference=Harriet%20Cole'))
      await expect(page.getByRole('row').nth(1)).toContainText('Harriet Cole')
      await expect(page.getByRole('row')).toHaveCount(2)
      expect(complaints).toEqual([])
    })
  })
}
