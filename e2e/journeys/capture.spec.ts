import { expect, test } from './test.ts'
import { localesOf } from './locales.ts'
import { at, openSession, watch } from './person.ts'

const SAYS = {
  'en-GB': {
    capture: 'Capture',
    gaps: 'Capture gaps',
    silent: 'Phone silent',
    uploads: 'Online, but uploads nothing',
    on: 'Ongoing',
    now: /^Calls: Phone silent$/i,
    fine: /^Calls$/i,
    none: 'No gaps',
  },
  'pt-BR': {
    capture: 'Captura',
    gaps: 'Lacunas de captura',
    silent: 'Telefone sem contato',
    uploads: 'Online, mas sem envios',
    on: 'Em andamento',
    now: /^Chamadas: Telefone sem contato$/i,
    fine: /^Chamadas$/i,
    none: 'Nenhuma lacuna',
  },
} as const

for (const locale of localesOf(import.meta.url)) {
  const says = SAYS[locale]

  test.describe(`capture (${locale})`, () => {
    test.use({ locale })

    test('a capture gap is listed and explained on the page of its user', async ({ page }) => {
      const complaints = watch(page)
      await openSession(page, locale, 'acme', 'alice', at(locale, '/dashboard/devices'))
      await page.getByRole('main').getByRole('link', { name: says.capture, exact: true }).click()
      await expect(page.getByRole('heading', { level: 1, name: says.gaps })).toBeVisible()
      const gap = page.getByRole('row').filter({ hasText: 'Molly Pearce' }).filter({ hasText: says.silent })
      await expect(gap.first()).toContainText(says.on)
      await expect(
        page.getByRole('row').filter({ hasText: 'Nadia Volk' }).filter({ hasText: says.uploads }).first(),
      ).toBeVisible()
      await gap.first().click()
      await expect(page).toHaveURL(/\/dashboard\/devices\/users\/Molly.*tab=capture/)
      await expect(page.getByText(says.now)).toBeVisible()
      await expect(page.getByRole('row').filter({ hasText: says.silent }).first()).toBeVisible()
      // A person without capture gaps.
      await page.goto(at(locale, '/dashboard/devices/users/Harriet%20Cole?tab=capture'))
      await expect(page.getByText(says.none, { exact: true })).toBeVisible()
      await expect(page.getByText(says.fine).first()).toBeVisible()
      expect(complaints).toEqual([])
    })
  })
}
