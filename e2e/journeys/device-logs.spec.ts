import { expect, test } from './test.ts'
import { localesOf } from './locales.ts'
import { at, openSession, watch } from './person.ts'

const SAYS = {
  'en-GB': { logs: 'Device logs', problems: 'Problems', zone: 'Phone time zone', tab: 'Logs' },
  'pt-BR': {
    logs: 'Registros de dispositivos',
    problems: 'Problemas',
    zone: 'Fuso horário do telefone',
    tab: 'Registros',
  },
} as const

for (const locale of localesOf(import.meta.url)) {
  const says = SAYS[locale]
  test.describe(`device logs (${locale})`, () => {
    test.use({ locale })

    test('problems are filtered, and the logs of a user’s devices are on the user’s page', async ({
      page,
    }) => {
      const complaints = watch(page)
      await openSession(page, locale, 'acme', 'alice')
      await page.getByRole('navigation').getByRole('link', { name: says.logs, exact: true }).click()
      await page.getByRole('link', { name: says.problems, exact: true }).click()
      await expect(page).toHaveURL(/levels=/)
      await expect(page.locator('main [aria-busy=true]')).toHaveCount(0)
      await page.getByRole('row').nth(1).click()
      await expect(page.getByText(says.zone).last()).toBeVisible()
      await page.goto(at(locale, '/dashboard/devices/users/Harriet%20Cole'))
      await page.getByRole('link', { name: says.tab, exact: true }).click()
      await expect(page.getByRole('row').nth(1)).toBeVisible()
      expect(complaints).toEqual([])
    })
  })
}
