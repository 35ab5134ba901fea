import type { Payload } from '@custodia/contract'
import { getLocales } from './locales.ts'
import { at, openSession, visit, watch, WORDS } from './person.ts'
import { expect, type Page, test } from './test.ts'

/** Formats that browsers cannot play or draw by themselves. The hour decides which calls are newest. */
const NEEDED = ['audio/amr', 'audio/3gpp', 'audio/mp4']
const words = WORDS['en-GB']

/** Opens a call once it is prepared, and returns its earlier number of plays. */
async function open(page: Page, reference: string) {
  for (;;) {
    const answerTo = async <T>(path: string) => {
      const response = await page.waitForResponse((one) => new URL(one.url()).pathname.endsWith(path))
      return (await response.json()) as T
    }
    const answers = Promise.all([
      answerTo<Payload>(`/payloads/${reference}`),
      answerTo<{ records: { action: string }[] }>(`/payloads/${reference}/audit`),
    ])
    await page.goto(`/dashboard/services/calls/${reference}`)
    const [{ media }, { records }] = await answers
    const played = records.filter(({ action }) => action === 'payloads:play').length
    if (media && !media.being_prepared) return { media, played }
  }
}

/** Waveform columns with content. */
const drawnColumns = (page: Page) =>
  page
    .locator('canvas')
    .first()
    .evaluate((canvas: HTMLCanvasElement) => {
      const { data } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height)
      const columns = new Set<number>()
      for (let i = 3; i < data.length; i += 4) if (data[i]! > 0) columns.add(((i - 3) / 4) % canvas.width)
      return columns.size
    })

// The test server has no ffmpeg, like a plain Node and npm installation.
test('a new user plays the demo calls of every format and sees their waveform', async ({ page }) => {
  const complaints = watch(page)
  await openSession(page, 'en-GB', 'acme', 'alice', null)
  const list = page.waitForResponse(
    // A call outside the dashboard's cache.
    (response) => /\/payloads\?.*limit=100/.test(response.url()) && !response.url().includes('total'),
  )
  await page.goto('/dashboard/services/calls?payload_types=Call&from=-30d&states=Processed')
  const { data } = (await (await list).json()) as { data: { payload_reference: string }[] }
  const heard = new Set<string>()
  for (const { payload_reference } of data) {
    if (NEEDED.every((format) => heard.has(format))) break
    const { media, played } = await open(page, payload_reference)
    expect(media.is_playable).toBe(true)
    if (heard.has(media.content_type)) continue
    await page.getByRole('button', { name: words.play }).click()
    const audio = page.locator('audio')
    await expect
      .poll(() => audio.evaluate((element: HTMLAudioElement) => element.currentTime), media.content_type)
      .toBeGreaterThan(0.5)
    await expect.poll(() => drawnColumns(page), media.content_type).toBeGreaterThan(100)
    // The browser draws what the server cannot, from the played data: one audit entry.
    expect(media.has_peaks).toBe(media.content_type !== 'audio/mp4')
    await expect(page.getByRole('tabpanel').getByText(words.played)).toHaveCount(played + 1)
    heard.add(media.content_type)
  }
  expect([...heard]).toEqual(expect.arrayContaining(NEEDED))
  expect(complaints).toEqual([])
})

const FIRST = {
  'en-GB': { newest: 'Newest calls', waiting: 'Awaiting your action' },
  'pt-BR': { newest: 'Chamadas mais recentes', waiting: 'Aguardando sua ação' },
}

for (const locale of getLocales(import.meta.url)) {
  test.describe(`the first steps (${locale})`, () => {
    test.use({ locale })

    test('a call plays two clicks after the sign-in page without a typed password', async ({ page }) => {
      const complaints = watch(page)
      await page.goto(at(locale, '/sign-in'))
      await page.getByRole('button', { name: /^alice/ }).click()
      const newest = page.getByRole('region', { name: FIRST[locale].newest })
      await newest.getByRole('link', { name: WORDS[locale].play }).first().click()
      const audio = page.locator('audio')
      await expect
        .poll(() => audio.evaluate((element: HTMLAudioElement) => element.currentTime))
        .toBeGreaterThan(0.5)
      expect(new URL(page.url()).pathname).toMatch(/\/calls\/[0-9A-Z]{26}$/)
      // One press plays once; a reload waits for the next press.
      await page.reload()
      await expect(page.getByRole('button', { name: WORDS[locale].play })).toBeVisible()
      await expect(page.getByRole('button', { name: WORDS[locale].pause })).toHaveCount(0)
      expect(complaints).toEqual([])
    })

    test('the worst work is on top, and each number equals the size of its list', async ({ page }) => {
      await openSession(page, locale, 'acme', 'alice')
      const worklist = page.getByRole('region', { name: FIRST[locale].waiting })
      const getLists = async () => {
        const links = await worklist
          .getByRole('link')
          .evaluateAll((all) =>
            all.map((each) => ({ href: each.getAttribute('href') ?? '', text: each.textContent ?? '' })),
          )
        return links.filter(({ href }) => href.includes('/services/'))
      }
      await expect(worklist).toBeVisible()
      await expect(worklist.locator('.mantine-Skeleton-root')).toHaveCount(0)
      // The worst is on top: the demo has a recording that was altered.
      await expect.poll(async () => (await getLists())[0]?.href).toContain('is_altered=true')
      const lists = await getLists()
      for (const { href, text } of lists) {
        const number = /^[\d.,]+\+?/.exec(text)?.[0] ?? ''
        await visit(page, href)
        await expect(page.getByRole('heading', { level: 1 }).locator('..'), href).toContainText(
          new RegExp(`(?<![\\d.,])${number.replaceAll('.', '\\.').replace('+', '\\+')}(?![\\d.,])`),
        )
      }
    })
  })
}
