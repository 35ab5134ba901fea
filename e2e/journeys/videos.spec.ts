import { expectAccessible } from './accessibility.ts'
import { RATE, recordFilm } from './film.ts'
import { getLocales, inBoth } from './locales.ts'
import { at, openSession, visit, watch, WORDS } from './person.ts'
import { expect, type Page, test } from './test.ts'

const TEXTS = inBoth(
  {
    on: /^Next frame/,
    back: /^Previous frame/,
    field: /^Comment/,
    playFrom: /^Play from/,
  },
  {
    on: /^Próximo quadro/,
    back: /^Quadro anterior/,
    field: /^Comentário/,
    playFrom: /^Reproduzir a partir/,
  },
)

const film = (page: Page) => page.locator('video')
const getPlace = (page: Page) => film(page).evaluate((video: HTMLVideoElement) => video.currentTime)
const getPicture = async (page: Page) => Math.floor((await getPlace(page)) * RATE)

for (const locale of getLocales(import.meta.url)) {
  test.describe(`a reviewer of videos (${locale})`, () => {
    test.use({ locale })
    const words = WORDS[locale]
    const texts = TEXTS[locale]

    test('plays a video from any position, frame by frame, and comments on it', async ({ page }) => {
      // A large video takes time.
      if (process.env.FILM_MEGABYTES) test.setTimeout(600_000)
      const reference = await recordFilm()
      const complaints = watch(page)
      await openSession(page, locale, 'acme', 'alice')
      await page
        .getByRole('navigation')
        .getByRole('link', { name: texts('Videos') })
        .click()
      await expect(page.getByRole('heading', { level: 1, name: texts('Videos') })).toBeVisible()
      await expect(page.getByRole('gridcell').first()).toBeVisible()
      await visit(page, at(locale, `/dashboard/services/videos/${reference}`))
      const play = page.getByRole('button', { name: words.play })
      await expect(play).toBeVisible()
      // No video data is fetched before playback.
      expect(await film(page).evaluate((video: HTMLVideoElement) => video.currentSrc)).toBe('')
      const slider = page.getByRole('slider', { name: texts('Position in the recording') })
      const length = Number(await slider.getAttribute('max'))
      const place = Math.floor(length * 0.9)
      await slider.fill(String(place))
      const pressed = Date.now()
      await play.click()
      await expect.poll(() => getPlace(page), { intervals: [20] }).toBeGreaterThan(place)
      if (process.env.FILM_MEGABYTES)
        console.log(`playing from 90 % of ${process.env.FILM_MEGABYTES} MB after ${Date.now() - pressed} ms`)
      await expect(page.getByRole('button', { name: words.pause })).toBeVisible()
      expect(await film(page).evaluate((video: HTMLVideoElement) => video.videoWidth)).toBe(640)

      await page.getByRole('button', { name: words.pause }).click()
      for (const share of [0.3, 0.7, 0.05]) {
        const { milliseconds, off } = await film(page).evaluate(async (video: HTMLVideoElement, share) => {
          const began = performance.now()
          video.currentTime = video.duration * share
          await new Promise((resolve) => video.addEventListener('seeked', resolve, { once: true }))
          const milliseconds = Math.round(performance.now() - began)
          return { milliseconds, off: Math.abs(video.currentTime - video.duration * share) }
        }, share)
        expect(off).toBeLessThan(0.5)
        if (process.env.FILM_MEGABYTES) console.log(`at ${share * 100} % after ${milliseconds} ms`)
      }
      await slider.fill('3')
      await expect.poll(() => film(page).evaluate((video: HTMLVideoElement) => video.seeking)).toBe(false)
      const shown = await getPicture(page)
      await page.keyboard.press('.')
      await expect.poll(() => getPicture(page)).toBe(shown + 1)
      await page.getByRole('button', { name: texts.on }).click()
      await expect.poll(() => getPicture(page)).toBe(shown + 2)
      await page.getByRole('button', { name: texts.back }).click()
      await expect.poll(() => getPicture(page)).toBe(shown + 1)

      await page.getByRole('main').getByRole('link').first().focus()
      await page.keyboard.press('v')
      await expect.poll(() => page.evaluate(() => document.fullscreenElement?.tagName)).toBe('SECTION')
      await page.keyboard.press('v')
      await expect.poll(() => page.evaluate(() => document.fullscreenElement)).toBeNull()
      await expect(play).toBeFocused()

      await page.keyboard.press('c')
      const stated = `The ladder is not secured ${locale}`
      const field = page.getByRole('textbox', { name: texts.field })
      await field.fill(stated)
      await field.press('Control+Enter')
      const comment = page.getByRole('article').filter({ hasText: stated })
      await expect(comment).toBeVisible()
      // Elsewhere the header may cover half of a button, which then counts as too small.
      await page.evaluate(() => scrollTo(0, 0))
      await expectAccessible(page)
      await comment.getByRole('button', { name: texts.playFrom }).click()
      await expect.poll(() => getPlace(page)).toBeGreaterThan(3)
      await expect(page.getByRole('button', { name: words.pause })).toBeVisible()
      expect(complaints).toEqual([])
    })
  })
}
