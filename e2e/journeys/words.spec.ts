import { expect, type Page, test } from './test.ts'
import { expectAccessible } from './accessibility.ts'
import { localesOf } from './locales.ts'
import { at, type Locale, openSession, watch } from './person.ts'

const SAID = {
  'en-GB': {
    field: /^Search text/,
    search: 'Search',
    found: 'Result',
    nothing: 'No results for these words',
    short: /needs 3 letters/,
  },
  'pt-BR': {
    field: /^Texto da busca/,
    search: 'Buscar',
    found: 'Resultado',
    nothing: 'Nenhum resultado para estas palavras',
    short: /precisa de 3 letras/,
  },
} as const satisfies Record<Locale, Record<string, string | RegExp>>

/** A message of João (South), and notes of Beatriz or João on an interview: Alice sees both groups, Bob only the North. */
const [MESSAGE, NOTE] = ['BALANCO "auditado de 2025"', 'entrev* investidor'] as const

for (const locale of localesOf(import.meta.url)) {
  const stated = SAID[locale]
  async function look(page: Page, words: string): Promise<void> {
    await page.getByLabel(stated.field).fill(words)
    await page.getByRole('button', { name: stated.search, exact: true }).click()
  }

  test(`a text search finds messages and notes only for reviewers with access (${locale})`, async ({
    browser,
    page,
  }) => {
    const complaints = watch(page)
    await openSession(page, locale, 'acme', 'alice', at(locale, '/dashboard/services/words'))
    await look(page, 'ab*')
    await expect(page.getByText(stated.short)).toBeVisible()
    // Devices are still uploading, and the index follows shortly after.
    await expect(async () => {
      await look(page, 'nowhere')
      await expect(page.getByText(stated.nothing)).toBeVisible({ timeout: 2000 })
      await look(page, NOTE)
      await expect(page.getByRole('list', { name: stated.found }).getByRole('link').first()).toBeVisible({
        timeout: 2000,
      })
      await look(page, `${MESSAGE} `)
      await expect(page.getByRole('list', { name: stated.found }).getByRole('link').first()).toBeVisible({
        timeout: 2000,
      })
    }).toPass()
    await expectAccessible(page)
    expect(page.url()).not.toContain('auditado')
    await page.getByRole('list', { name: stated.found }).getByRole('link').first().click()
    await expect(page.locator('mark').filter({ hasText: 'auditado' }).first()).toBeVisible()
    await expect(page.locator('mark').filter({ hasText: 'balanço' }).first()).toBeVisible()

    const other = await browser.newPage()
    await openSession(other, locale, 'acme', 'bob', at(locale, '/dashboard/services/words'))
    for (const words of [MESSAGE, NOTE]) {
      await look(other, words)
      await expect(other.getByText(stated.nothing)).toBeVisible()
    }
    await other.close()
    // Only the rejected request is logged.
    expect(complaints.filter((each) => !each.includes('400') && !each.includes('ApiProblem: words'))).toEqual(
      [],
    )
  })
}
