import { getLocales, inBoth } from './locales.ts'
import { at, openSession, visit, watch, WORDS } from './person.ts'
import { expect, type Page, test } from './test.ts'

const TEXTS = inBoth(
  {
    place: /^at /,
    comment: /^Comment/,
  },
  {
    place: /^em /,
    comment: /^Comentário/,
  },
)

const position = (page: Page) =>
  page.locator('audio').evaluate((audio: HTMLAudioElement) => audio.currentTime)

for (const locale of getLocales(import.meta.url)) {
  test.describe(`a reviewer of interviews (${locale})`, () => {
    test.use({ locale })
    const words = WORDS[locale]
    const texts = TEXTS[locale]

    test('plays from a pause and from a comment, and sees the elapsed time', async ({ page }) => {
      const complaints = watch(page)
      await openSession(page, locale, 'acme', 'alice')
      await page
        .getByRole('navigation')
        .getByRole('link', { name: texts('Interviews') })
        .click()
      await expect(page.getByRole('heading', { level: 1, name: texts('Interviews') })).toBeVisible()
      await visit(page, at(locale, '/dashboard/services/interviews?states=Processed'))
      await expect(page.getByRole('row').nth(1)).toBeVisible()
      await page.getByRole('row').nth(1).getByRole('link').first().click()
      await page.waitForURL(/\/interviews\/[0-9A-Z]{26}/)
      await expect(page.getByRole('button', { name: words.play })).toBeVisible({ timeout: 90_000 })
      const facts = page.getByRole('main').locator('dl')
      await expect(facts.getByText(texts('Elapsed'))).toBeVisible()
      await expect(facts.getByText(texts('Notes'))).toBeVisible()
      // Demo interviews have pauses of minutes; the recording itself is shorter than one.
      const pause = page
        .getByRole('region', { name: texts('Pauses') })
        .getByRole('button', { name: texts.place })
        .first()
      await pause.click()
      await page.getByRole('button', { name: words.play }).click()
      await expect.poll(() => position(page)).toBeGreaterThan(5)
      await page.getByRole('button', { name: words.pause, exact: true }).click()

      // A comment on this moment links back to it.
      const moment = await position(page)
      const stated = `Asked about the pause ${locale}`
      await page.getByRole('slider', { name: texts('Position in the recording') }).focus()
      await page.keyboard.press('c')
      const field = page.getByRole('textbox', { name: texts.comment })
      await field.fill(stated)
      await field.press('Control+Enter')
      await expect(page.getByRole('article').filter({ hasText: stated })).toBeVisible()
      await visit(page, at(locale, '/dashboard/services/comments'))
      await page.getByRole('row').filter({ hasText: stated }).click()
      await page.keyboard.press('Enter')
      await page.waitForURL(/\/interviews\/[0-9A-Z]{26}\?t=/)
      await page.getByRole('button', { name: words.play }).click()
      await expect.poll(() => position(page)).toBeGreaterThan(moment)
      expect(complaints).toEqual([])
    })
  })
}
