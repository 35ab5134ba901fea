import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { MEDIA_FOLDER } from '@custodia/simulator'
import { newId } from '../../apps/server/src/http/new-id.ts'
import { getDemoPhone } from './demo-phone.ts'
import { getLocales, inBoth } from './locales.ts'
import { at, clickCounter, type Locale, openSession, watch, WORDS } from './person.ts'
import { expect, type Page, test } from './test.ts'

const SAID = inBoth(
  {
    heard: /^Reviewed · heard 0:\d\d of 0:14, \d+ %/,
    withdrawn: '1 mark withdrawn',
    mark: 'Mark as reviewed R',
    all: 'Select all 2 matching',
    selected: 'All 2 matching',
    many: 'Reviewed · 2 recordings',
  },
  {
    heard: /^Revisado · ouvidos 0:\d\d de 0:14, \d+ %/,
    withdrawn: '1 marca retirada',
    mark: 'Marcar como revisada R',
    all: 'Selecionar todos os 2 correspondentes',
    selected: 'Todos os 2 correspondentes',
    many: 'Revisado · 2 gravações',
  },
)

/** Duration in seconds, as the phone reports it. */
const SECONDS = 14

/** Uploads two calls in a format that every browser plays. */
async function recordCalls(locale: Locale, name: string): Promise<void> {
  const { carried, phone } = await getDemoPhone('globex', 'pt-BR', locale === 'pt-BR' ? 5 : 4)
  const path = join(MEDIA_FOLDER, 'calls/en-voicemail.wav')
  const { size } = await stat(path)
  for (const age of [600, 660]) {
    const [payload_reference, payload_time] = [newId(), Math.floor(Date.now() / 1000) - age]
    const spoken = { direction: 'I' as const, start_time: payload_time, connection_time: payload_time }
    await phone.record({
      payload_type: 'Call',
      meta: {
        ...carried.common(payload_reference, payload_time),
        payload_end_time: payload_time + SECONDS,
        voice_source: 'MIC',
        signal_strength: -80,
        size,
        second_parties: [{ ...spoken, phone_number: '+442079460977', contact_name: name, duration: SECONDS }],
      },
      data: () => createReadStream(path),
    })
  }
  await phone.sync({ patience: 120 })
}

const position = (page: Page) =>
  page.locator('audio').evaluate((audio: HTMLAudioElement) => (audio.paused ? -1 : audio.currentTime))

for (const locale of getLocales(import.meta.url)) {
  test(`a review says how much was heard, and can be undone (${locale})`, async ({ page }) => {
    const said = SAID[locale]
    const name = `Heard ${locale === 'pt-BR' ? 'Horta' : 'Harrow'}`
    await recordCalls(locale, name)
    const complaints = watch(page)
    const list = at(locale, `/dashboard/services/calls?search=${encodeURIComponent(name)}`)
    await openSession(page, locale, 'globex', 'gina', list)
    const row = (index: number) => page.locator(`[role=row][data-index="${index}"]`)
    const review = page.getByRole('region', { name: said('Review'), exact: true })
    await expect(row(1)).toContainText(said('Unheard'))

    // The sound of the preview goes on while the page opens.
    await row(0).focus()
    await page.keyboard.press('p')
    await expect(page.getByRole('button', { name: WORDS[locale].pause })).toBeVisible({ timeout: 90_000 })
    await expect.poll(() => position(page)).toBeGreaterThan(1.5)
    await page.evaluate(() => {
      const stops: string[] = []
      Object.assign(window, { stops })
      for (const each of ['pause', 'emptied']) addEventListener(each, () => stops.push(each), true)
    })
    await row(0).focus()
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/calls\/[0-9A-Z]{26}/)
    await expect(review).toBeVisible()
    await expect(page.getByRole('button', { name: WORDS[locale].pause })).toBeVisible()
    await expect.poll(() => position(page)).toBeGreaterThan(2.5)
    expect(await page.evaluate(() => (window as unknown as { stops: string[] }).stops)).toEqual([])

    // A mark is a verb with a state, keeps what was heard, and Z takes it back.
    const call = page.url()
    await page.keyboard.press('r')
    await page.waitForURL((url) => url.href !== call && /\/calls\/[0-9A-Z]{26}/.test(url.pathname))
    await expect(page.getByText(said.heard)).toBeVisible()
    await expect(page.getByRole('button', { name: said('Undo (Z)') })).toBeVisible()
    await page.keyboard.press('b')
    await page.waitForURL(call)
    const button = review.getByRole('button', { pressed: true })
    await expect(button).toHaveCount(1)
    await page.keyboard.press('z')
    await expect(page.getByText(said.withdrawn)).toBeVisible()
    await expect(page.getByRole('button', { name: said('Undo (Z)') })).toHaveCount(0)
    await expect(review).toContainText(said('Not marked'))
    await expect(button).toHaveCount(0)
    await expect(review.getByRole('button', { name: said.mark })).toBeVisible()

    // Who listened, and how much: one click.
    const counter = clickCounter()
    await counter.click(page.getByRole('button', { name: said('History and listeners') }))
    const heardBy = page.getByRole('list', { name: said('Who listened') }).getByRole('listitem')
    await expect(heardBy).toHaveText(/^Gina Torres · .+ · 0:00–0:\d\d, \d+ %$/)
    expect(counter.clicks).toBe(1)
    await page.keyboard.press('Escape')

    // All that match the filter are marked in one step.
    await page.goto(list)
    await expect(row(1)).toBeVisible()
    await row(0).getByRole('checkbox').check()
    await page.getByRole('button', { name: said.all }).click()
    await expect(page.getByRole('toolbar')).toContainText(said.selected)
    await expect(page.getByRole('toolbar')).toBeFocused()
    const box = page.getByRole('columnheader').getByRole('checkbox')
    await expect(box).toBeChecked()
    await expect(box).toHaveJSProperty('indeterminate', false)
    await page.keyboard.press('r')
    await page
      .getByRole('dialog')
      .getByRole('button', { name: said('Mark as reviewed'), exact: true })
      .click()
    await expect(page.getByText(said.many)).toBeVisible()
    await expect(row(1)).toContainText(/Reviewed|Revisado/)
    expect(complaints).toEqual([])
  })
}
