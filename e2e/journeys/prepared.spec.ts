import type { Payload } from '@custodia/contract'
import { getLocales } from './locales.ts'
import { at, openSession, watch, WORDS } from './person.ts'
import { expect, test } from './test.ts'

const PREPARING = { 'en-GB': 'Being prepared', 'pt-BR': 'Em preparação' } as const
const WAVEFORM = {
  'en-GB': 'The waveform is being prepared.',
  'pt-BR': 'A forma de onda está sendo preparada.',
} as const

for (const locale of getLocales(import.meta.url)) {
  test.describe(`a recording in preparation (${locale})`, () => {
    test.use({ locale })
    const words = WORDS[locale]

    test('shows its state, can be downloaded at once and becomes playable by itself', async ({ page }) => {
      const complaints = watch(page)
      // Replays earlier server responses: the duration of a conversion must not affect the test.
      let media: Partial<Payload['media']> | undefined = {
        is_playable: false,
        has_peaks: false,
        being_prepared: true,
      }
      await page.route(/\/client\/v1\/api\/payloads\/[0-9A-Z]{26}(\?|$)/, async (route) => {
        const response = await route.fetch()
        const payload = (await response.json()) as Payload
        await route.fulfill({ response, json: { ...payload, media: { ...payload.media, ...media } } })
      })
      await openSession(
        page,
        locale,
        'acme',
        'bob',
        at(locale, '/dashboard/services/calls?payload_types=Call&from=-30d&states=Processed'),
      )
      await page.getByRole('row').nth(1).click()
      await page.keyboard.press('Enter')
      await page.waitForURL(/\/calls\/[0-9A-Z]{26}/)

      await expect(page.getByText(PREPARING[locale], { exact: true })).toBeVisible()
      await expect(page.getByRole('button', { name: words.play })).toHaveCount(0)
      const downloading = page.waitForEvent('download')
      await page.getByRole('main').getByRole('button', { name: words.download }).first().click()
      expect(await (await downloading).failure()).toBeNull()

      // Playable, without a waveform yet.
      media = { is_playable: true, has_peaks: false, being_prepared: true }
      await expect(page.getByText(WAVEFORM[locale])).toBeVisible()
      await page.getByRole('button', { name: words.play }).click()
      await expect(page.getByRole('button', { name: words.pause })).toBeVisible()
      // Playback continues when the rest arrives.
      media = undefined
      await expect(page.getByText(WAVEFORM[locale])).toHaveCount(0)
      await expect(page.getByRole('button', { name: words.pause })).toBeVisible()
      const audio = page.locator('audio')
      await expect
        .poll(() => audio.evaluate((element: HTMLAudioElement) => element.currentTime))
        .toBeGreaterThan(1)
      expect(complaints).toEqual([])
    })
  })
}
