import { getLocales } from './locales.ts'
import { at, openSession, visit, watch, WORDS } from './person.ts'
import { expect, test } from './test.ts'

for (const locale of getLocales(import.meta.url)) {
  test.describe(`a reviewer (${locale})`, () => {
    test.use({ locale })
    const words = WORDS[locale]

    test('finds, plays and downloads a call, and the audit log shows it', async ({ page }) => {
      const complaints = watch(page)
      await openSession(page, locale, 'acme', 'bob')
      await page.getByRole('navigation').getByRole('link', { name: words.calls }).click()
      await expect(page.getByRole('heading', { level: 1, name: words.calls })).toBeVisible()
      const rows = page.getByRole('row')
      await expect(rows.nth(1)).toBeVisible()
      // Filters in the URL: type and days narrow the list.
      await visit(page, at(locale, '/dashboard/services/calls?payload_types=Call&from=-30d&states=Processed'))
      await expect(rows.nth(1)).toBeVisible()
      await rows.nth(1).click()
      await page.keyboard.press('Enter')
      await page.waitForURL(/\/calls\/[0-9A-Z]{26}/)

      await page.getByRole('button', { name: words.play }).click()
      await expect(page.getByRole('button', { name: words.pause })).toBeVisible()
      const audio = page.locator('audio')
      await expect
        .poll(() => audio.evaluate((element: HTMLAudioElement) => element.currentTime))
        .toBeGreaterThan(1)
      // Bob's saved position applies before the duration is known.
      const durationNow = () => audio.evaluate((element: HTMLAudioElement) => element.duration)
      await expect.poll(durationNow).toBeGreaterThan(5)
      const duration = await durationNow()
      // A seek reads another range of the sealed object.
      await audio.evaluate((element: HTMLAudioElement) => {
        element.currentTime = element.duration - 2
      })
      await expect
        .poll(() => audio.evaluate((element: HTMLAudioElement) => element.currentTime))
        .toBeGreaterThan(duration - 2)

      const downloading = page.waitForEvent('download')
      await page.getByRole('button', { name: words.download }).click()
      expect(await (await downloading).failure()).toBeNull()

      await page.reload()
      await page.getByRole('tab', { name: words.audit }).click()
      const panel = page.getByRole('tabpanel')
      await expect(panel.getByText(words.played).first()).toBeVisible()
      await expect(panel.getByText(words.downloaded).first()).toBeVisible()
      expect(complaints).toEqual([])
    })

    test('reads a message in its conversation', async ({ page }) => {
      const complaints = watch(page)
      await openSession(page, locale, 'acme', 'alice', at(locale, '/dashboard/services/messages'))
      const rows = page.getByRole('row')
      await expect(rows.nth(1)).toBeVisible()
      await rows.nth(1).click()
      await page.keyboard.press('Enter')
      await page.waitForURL(/\/messages\/[0-9A-Z]{26}/)
      await expect(page.getByText(words.conversation).first()).toBeVisible()
      await expect(
        page.getByRole('main').getByRole('listitem').filter({ hasText: /\w{3}/ }).first(),
      ).toBeVisible()
      expect(complaints).toEqual([])
    })
  })
}
