import { smallRecording } from '@custodia/simulator'
import { getDemoPhone } from './demo-phone.ts'
import { at, type Locale, openSession, watch } from './person.ts'
import { expect, type Page, test } from './test.ts'

/** More than one page of the list. */
const MESSAGES = 130
/** Rows to walk through, and the start: before the list fetches its second page. */
const [STEPS, START] = [80, 35]

/** Sends text messages from a person's second device, one a minute. */
async function sendMessages(locale: Locale): Promise<void> {
  const { carried, phone } = await getDemoPhone('globex', locale, 1)
  const now = Math.floor(Date.now() / 1000)
  for (let i = 0; i < MESSAGES; i++) await phone.record(smallRecording(carried, now - 60 * (i + 1)))
  await phone.sync({ patience: 60 })
}

const row = (page: Page, index: number) => page.locator(`[role=row][data-index="${index}"]`)

for (const locale of ['pt-BR'] as const satisfies Locale[]) {
  test.describe(`a reviewer (${locale})`, () => {
    test.use({ locale })

    test('works through more than one list page by key and returns to the last row', async ({ page }) => {
      await sendMessages(locale)
      const complaints = watch(page)
      await openSession(page, locale, 'globex', 'gina')
      await page.goto(at(locale, '/dashboard/services/messages'))
      await expect(row(page, 0)).toBeVisible()

      // The first key enters the list at its first row.
      await page.keyboard.press('j')
      await expect(row(page, 0)).toBeFocused()
      for (let i = 0; i < START; i++) await page.keyboard.press('j')
      await expect(row(page, START)).toBeFocused()
      await page.keyboard.press('Enter')
      await page.waitForURL(/\/messages\/[0-9A-Z]{26}/)

      await expect(page.getByRole('button', { name: '(N)' })).toBeEnabled()

      const next = async (position: number) => {
        await page.keyboard.press('n')
        await expect(page.getByText(new RegExp(`^${position} (of|de) `))).toBeVisible()
      }
      const seen = new Set([page.url()])
      for (let i = 1; i <= STEPS; i++) {
        await next(START + i + 1)
        seen.add(page.url())
      }
      expect(seen.size).toBe(STEPS + 1)

      for (const key of ['u', 'Escape']) {
        const last = page.url()
        await expect(page.getByRole('button', { name: '(N)' })).toBeEnabled()
        await page.keyboard.press(key)
        await page.waitForURL(/\/messages(\?|$)/)
        await expect(row(page, START + STEPS)).toBeFocused()
        await expect(row(page, START + STEPS)).toBeInViewport()
        await page.keyboard.press('Enter')
        await page.waitForURL(last)
      }
      // Also after the browser has dropped the list.
      await page.reload()
      await expect(page.getByRole('button', { name: '(N)' })).toBeEnabled()
      await next(START + STEPS + 2)
      await page.keyboard.press('u')
      await expect(row(page, START + STEPS + 1)).toBeFocused()
      // The key led back in the history, so the browser's Back leaves the list.
      await page.goBack()
      await page.waitForURL(/\/dashboard$/)
      expect(complaints).toEqual([])
    })
  })
}
