import type { Answer, Api } from '@custodia/contract'
import { expectAccessible } from './accessibility.ts'
import { getLocales, inBoth } from './locales.ts'
import { at, type Locale, openSession, watch, WORDS } from './person.ts'
import { expect, type Page, test } from './test.ts'

const SAID = inBoth(
  {
    continue: /^Continue from (\d+:\d\d)$/,
  },
  {
    continue: /^Continuar de (\d+:\d\d)$/,
  },
)

const CALL = /\/calls\/[0-9A-Z]{26}/

/** Duration in seconds of a suitable call: long enough to stop in it without reaching its end. */
const LONG = 25

/** Opens a list; resolves to references of long enough calls, in order. */
async function longCalls(page: Page, list: string): Promise<string[]> {
  // The previous page requests lists of its own.
  await page.goto('/livez')
  const answered = page.waitForResponse(
    (response) => /\/payloads\?/.test(response.url()) && !/type=total/.test(response.url()),
  )
  await page.goto(list)
  const { data } = (await (await answered).json()) as Extract<Answer<Api['listPayloads']>, { data: unknown }>
  return data.filter(({ duration = 0 }) => duration >= LONG).map(({ payload_reference }) => payload_reference)
}

const getRow = (page: Page, reference: string) => page.locator(`[role=row][data-key="${reference}"]`)

/** Opens rows of the list until they are prepared, and returns. */
async function prepared(page: Page, locale: Locale, references: readonly string[]): Promise<void> {
  for (const reference of references) {
    const row = getRow(page, reference)
    await row.getByRole('link').first().click()
    await expect(page.getByRole('button', { name: WORDS[locale].play })).toBeVisible({ timeout: 90_000 })
    await page.goBack()
    await expect(row).toBeVisible()
  }
}

/** A playing call counts as heard. */
const sounds = (page: Page) =>
  expect
    .poll(() => page.locator('audio').evaluate((audio: HTMLAudioElement) => audio.currentTime))
    .toBeGreaterThan(0.3)

for (const locale of getLocales(import.meta.url)) {
  test.describe(`a reviewer (${locale})`, () => {
    const [words, stated] = [WORDS[locale], SAID[locale]]
    const slider = (page: Page) => page.getByRole('slider', { name: stated('Position in the recording') })
    const play = (page: Page) => page.getByRole('button', { name: words.play })
    const pause = (page: Page) => page.getByRole('button', { name: words.pause })
    /** Remaining seconds. */
    const rest = async (page: Page) =>
      Number(await slider(page).getAttribute('max')) - Number(await slider(page).inputValue())
    const list = at(locale, '/dashboard/services/calls?payload_types=Call&states=Processed')

    test('plays on by keyboard, and nothing plays without a request', async ({ page }) => {
      const complaints = watch(page)
      const played: string[] = []
      page.on('request', (request) => {
        const { pathname, searchParams } = new URL(request.url())
        if (pathname.endsWith('/data') && searchParams.get('action') === 'play')
          played.push(pathname.split('/').at(-2) ?? '')
      })
      await openSession(page, locale, 'acme', 'alice', null)
      const chosen = (await longCalls(page, list)).slice(0, 3)
      await prepared(page, locale, chosen)
      for (const reference of chosen) await getRow(page, reference).getByRole('checkbox').check()
      await page.getByRole('button', { name: stated('Play in sequence') }).click()
      await page.waitForURL(CALL)
      const seen = [page.url()]
      /** Plays the short rest. */
      const hearOut = async () => {
        await slider(page).focus()
        await page.keyboard.press('End')
      }
      const isNext = async () => {
        await expect(page).not.toHaveURL(seen.at(-1) ?? '')
        seen.push(page.url())
      }
      // Autoplay is off by default.
      await expect(pause(page)).toBeVisible()
      await hearOut()
      await expect(play(page)).toBeVisible()
      const chip = page.getByRole('checkbox', { name: stated('Autoplay') })
      await expect(chip).not.toBeChecked()
      await page.keyboard.press('a')
      await expect(chip).toBeChecked()
      await page.keyboard.press('-')
      await expect(page.getByRole('slider', { name: stated('Volume') })).toHaveValue('0.9')
      await page.keyboard.press(']')
      await expect(page).toHaveURL(seen[0] ?? '')

      await page.keyboard.press(' ')
      await expect(pause(page)).toBeVisible()
      await hearOut()
      await isNext()
      await expect(pause(page)).toBeVisible()
      // Speed and volume are kept.
      await expect(page.getByRole('slider', { name: stated('Volume') })).toHaveValue('0.9')
      await expect(page.getByRole('combobox', { name: stated('Speed') })).toHaveValue('1.25')
      expect(played.map((each) => seen.findIndex((url) => url.includes(each)))).toEqual([0, 1])

      // No autoplay after a pause, wherever the user seeks.
      await page.keyboard.press(' ')
      await expect(play(page)).toBeVisible()
      await hearOut()
      await expect.poll(() => rest(page)).toBeLessThan(1)
      await expect(page).toHaveURL(seen.at(-1) ?? '')
      await expect(chip).toBeChecked()
      // Navigation by key without playback plays nothing.
      await page.keyboard.press('n')
      await isNext()
      await expect(play(page)).toBeVisible()
      expect(new Set(played).size).toBe(2)
      // End of the list.
      await page.keyboard.press(' ')
      await expect(pause(page)).toBeVisible()
      await hearOut()
      await expect(page.getByText(stated('No playable recording follows in the list'))).toBeVisible()
      await expect(page).toHaveURL(seen.at(-1) ?? '')
      // Navigation during playback continues playing.
      await page.keyboard.press('b')
      await expect(page).toHaveURL(seen[1] ?? '')
      await expect(play(page)).toBeVisible()
      await page.keyboard.press('p')
      await expect(pause(page)).toBeVisible()
      await page.keyboard.press('n')
      await expect(page).toHaveURL(seen[2] ?? '')
      await expect(pause(page)).toBeVisible()

      // Play before the next page loads means the next recording: the current one stays silent.
      await page.keyboard.press(' ')
      await expect(play(page)).toBeVisible()
      await page.keyboard.press('b')
      await expect(page).toHaveURL(seen[1] ?? '')
      // The address changes before the page.
      await expect(page.getByText(/^2 (of|de) 3$/)).toBeVisible()
      await expect(play(page)).toBeVisible()
      const before = played.length
      await page.evaluate(() => {
        for (const key of ['n', ' '])
          document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }))
      })
      await expect(page).toHaveURL(seen[2] ?? '')
      await expect(pause(page)).toBeVisible()
      await sounds(page)
      expect(played.slice(before).map((each) => seen.findIndex((url) => url.includes(each)))).toEqual([2])

      // The setting persists; a reload plays nothing.
      await page.reload()
      await expect(play(page)).toBeVisible()
      await expect(page.getByRole('checkbox', { name: stated('Autoplay') })).toBeChecked()
      await expect(page.getByRole('slider', { name: stated('Volume') })).toHaveValue('0.9')

      // The button of a row plays it next to the list.
      await page.goto(list)
      await getRow(page, chosen[1] ?? '')
        .locator('[data-hear]')
        .click()
      await expect(page).toHaveURL(/preview=/)
      await expect(pause(page)).toBeVisible()
      expect(complaints).toEqual([])
    })

    test('resumes at their own position in any browser', async ({ browser, page }) => {
      const complaints = watch(page)
      await openSession(page, locale, 'acme', 'bob', null)
      const references = await longCalls(
        page,
        at(locale, '/dashboard/services/calls?payload_types=Call&states=Processed&order=oldest'),
      )
      let call = ''
      for (const reference of references) {
        const read = page.waitForResponse((response) =>
          new URL(response.url()).pathname.endsWith(`/payloads/${reference}`),
        )
        await page.goto(at(locale, `/dashboard/services/calls/${reference}`))
        const { playhead } = (await (await read).json()) as Answer<Api['readPayload']>
        await expect(play(page)).toBeVisible({ timeout: 90_000 })
        call = page.url()
        // The demo's reviewers have saved positions.
        if (playhead === undefined) break
      }
      const kept = (which: Page, isKept: (playhead: number | null) => boolean) =>
        which.waitForResponse(
          async (response) =>
            /\/playhead(\?|$)/.test(response.url()) &&
            response.ok() &&
            isKept(((await response.json()) as Answer<Api['savePlayhead']>).playhead),
        )
      const offer = (which: Page) => which.getByRole('button', { name: stated.continue })
      await play(page).click()
      await expect(pause(page)).toBeVisible()
      await sounds(page)
      await page.keyboard.press('l')
      await expect.poll(async () => Number(await slider(page).inputValue())).toBeGreaterThan(10)
      await sounds(page)
      const saving = kept(page, (playhead) => playhead !== null)
      await page.keyboard.press(' ')
      await expect(play(page)).toBeVisible()
      await saving
      const stopped = Math.floor(Number(await slider(page).inputValue()))

      const opened = async (user: string) => {
        const context = await browser.newContext({ reducedMotion: 'reduce' })
        const other = await context.newPage()
        await openSession(other, locale, 'acme', user, call)
        await expect(play(other)).toBeVisible()
        return other
      }
      const colleague = await opened('alice')
      await expect(colleague.getByRole('button', { name: stated('From the start') })).toHaveCount(0)
      await expect(slider(colleague)).toHaveValue('0')
      await colleague.context().close()

      const again = await opened('bob')
      await expect(offer(again)).toBeVisible()
      const [, time = ''] = stated.continue.exec((await offer(again).textContent()) ?? '') ?? []
      const [minutes = 0, seconds = 0] = time.split(':').map(Number)
      expect(Math.abs(minutes * 60 + seconds - stopped)).toBeLessThanOrEqual(1)
      await expectAccessible(again)
      await offer(again).click()
      await expect(pause(again)).toBeVisible()
      expect(Number(await slider(again).inputValue())).toBeGreaterThanOrEqual(minutes * 60 + seconds)
      // A finished recording has no saved position.
      const forgetting = kept(again, (playhead) => playhead === null)
      await slider(again).focus()
      await again.keyboard.press('End')
      await forgetting
      await again.reload()
      await expect(play(again)).toBeVisible()
      await expect(offer(again)).toHaveCount(0)
      await again.context().close()
      expect(complaints).toEqual([])
    })
  })
}
