import { expect, test } from '@playwright/test'
import { at, type Locale, signIn, watch } from './person.ts'

const SAYS = {
  'en-GB': { logs: 'Device logs', problems: 'Problems', zone: 'Time zone of the phone', tab: 'Logs' },
  'pt-BR': {
    logs: 'Registros de dispositivos',
    problems: 'Problemas',
    zone: 'Fuso horário do telefone',
    tab: 'Registros',
  },
} as const

for (const locale of ['en-GB', 'pt-BR'] as const satisfies Locale[]) {
  const says = SAYS[locale]
  test.describe(`what phones log (${locale})`, () => {
    test.use({ locale })

    test('problems are found, and read on the page of the person whose phone logged them', async ({
      page,
    }) => {
      const complaints = watch(page)
      await signIn(page, locale, 'acme', 'alice')
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
