import { expect, test } from './test.ts'
import type { Profile } from '@custodia/contract'
import { localesOf } from './locales.ts'
import { at, openSession } from './person.ts'

const WARNING = { 'en-GB': /^Your session ends at \d\d:\d\d/, 'pt-BR': /^Sua sessão termina às \d\d:\d\d/ }

for (const locale of localesOf(import.meta.url)) {
  test(`an active user is warned before the session ends, in ${locale}`, async ({ page }) => {
    await openSession(page, locale, 'acme', 'bob')
    await page.clock.install()
    const answer = page.waitForResponse(
      (response) => /\/profile\b/.test(new URL(response.url()).pathname) && response.ok(),
    )
    await page.goto(at(locale, '/dashboard/services/calls'))
    const { session_expires_at } = (await (await answer).json()) as Profile
    await expect(page.getByRole('row').nth(1)).toBeVisible()
    const minutesBefore = (minutes: number) => session_expires_at * 1000 - Date.now() - minutes * 60_000

    const early = minutesBefore(6)
    await page.clock.fastForward(early)
    await expect(page.getByText(WARNING[locale])).toHaveCount(0)
    await page.clock.fastForward(minutesBefore(4) - early)
    await expect(page.getByText(WARNING[locale])).toBeVisible()
  })
}
