import { expect, test } from './test.ts'
import { localesOf } from './locales.ts'
import { at, type Locale, openSession, watch } from './person.ts'

const SAYS = {
  'en-GB': {
    tab: 'Devices',
    handedOver: 'Phone of Harriet Cole uploaded a recording',
    asked: /looked up|fetched/,
    switch: 'Include system activity',
  },
  'pt-BR': {
    tab: 'Dispositivos',
    handedOver: 'Telefone de Harriet Cole enviou uma gravação',
    asked: /consultou|buscou/,
    switch: 'Incluir atividade do sistema',
  },
} as const satisfies Record<Locale, unknown>

for (const locale of localesOf(import.meta.url)) {
  const says = SAYS[locale]
  test(`the device audit shows what a user’s device did and links to the device (${locale})`, async ({
    browser,
  }) => {
    const page = await (await browser.newContext({ locale })).newPage()
    const complaints = watch(page)
    await openSession(page, locale, 'acme', 'alice', at(locale, '/dashboard/account/audit'))
    await page.getByRole('main').getByRole('link', { name: says.tab, exact: true }).click()
    await expect(page).toHaveURL(/tab=devices/)
    await page.goto(at(locale, '/dashboard/account/audit?tab=devices&device_user_reference=Harriet%20Cole'))
    const rows = page.getByRole('row').filter({ hasText: 'Harriet Cole' })
    const handedOver = rows.filter({ hasText: says.handedOver })
    await expect(handedOver.first()).toBeVisible()
    // Entries of this device only, without automatic calls.
    await expect(page.getByRole('row').filter({ hasText: /Marcus Reid|João Almeida/ })).toHaveCount(0)
    await expect(rows.filter({ hasText: says.asked })).toHaveCount(0)
    await page.getByRole('switch', { name: says.switch }).press('Space')
    await expect(rows.filter({ hasText: says.asked }).first()).toBeVisible()
    await page.getByRole('switch').press('Space')
    await expect(rows.filter({ hasText: says.asked })).toHaveCount(0)

    await handedOver.first().click()
    await page
      .getByRole('complementary')
      .getByRole('link', { name: /^[0-9A-Z]{26}$/ })
      .click()
    await page.waitForURL(/\/dashboard\/devices\/[^/]+$/)
    await expect(page.getByRole('main').getByText('Harriet Cole').first()).toBeVisible()
    expect(complaints).toEqual([])
  })
}
