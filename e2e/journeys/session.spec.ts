import type { Profile } from '@custodia/contract'
import { getLocales, inBoth } from './locales.ts'
import { at, openSession, passSignInPages } from './person.ts'
import { expect, test } from './test.ts'

const WARNING = { 'en-GB': /^Your session ends at \d\d:\d\d/, 'pt-BR': /^Sua sessão termina às \d\d:\d\d/ }
const WORDS = inBoth(
  {
    field: /^Comment/,
  },
  {
    field: /^Comentário/,
  },
)

for (const locale of getLocales(import.meta.url)) {
  test(`an active user is warned before the session ends, in ${locale}`, async ({ page }) => {
    await openSession(page, locale, 'acme', 'bob', null)
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
  test(`a comment survives the end of the session, and is saved after a sign-in in another window (${locale})`, async ({
    page,
  }) => {
    const words = WORDS[locale]
    await page.clock.install()
    await openSession(page, locale, 'acme', 'bob', at(locale, '/dashboard/services/calls?states=Processed'))
    await page.getByRole('row').nth(1).click()
    await page.keyboard.press('Enter')
    await page.getByRole('slider', { name: words('Position in the recording') }).focus()
    await page.keyboard.press('c')
    const text = `Typed before the end, ${locale}`
    await page.getByRole('textbox', { name: words.field }).fill(text)
    await page.context().clearCookies()
    // Fires no timer: a poll could ask first.
    await page.clock.setSystemTime(Date.now() + 30 * 60_000)
    await page.getByRole('button', { name: words('Save') }).click()
    const question = page.getByRole('dialog', { name: words('Sign in again') })
    const opened = page.waitForEvent('popup')
    await question.getByRole('button', { name: words('Sign in') }).click()
    const window = await opened
    const closed = window.waitForEvent('close')
    await passSignInPages(window, locale, 'bob')
    await closed
    await expect(question).toHaveCount(0)
    await expect(page.getByRole('article').filter({ hasText: text })).toBeVisible()
  })
}
