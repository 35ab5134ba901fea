import { readFile } from 'node:fs/promises'
import { expectAccessible } from './accessibility.ts'
import { getLocales, inBoth } from './locales.ts'
import { at, openSession, watch, clickCounter } from './person.ts'
import { colourInside, earthTile, onePixel, getPmtiles, STREETS } from './pmtiles-file.ts'
import { expect, test } from './test.ts'

const SAYS = inBoth(
  {
    pause: 'Pause',
    answer: /15:00:00: .*\p{Lu}.*(there from \d|on the way$|last known at )/u,
    stay: /: ([^:]+), there from (\d\d:\d\d) to (\d\d:\d\d)$/,
  },
  {
    pause: 'Pausar',
    answer: /15:00:00: .*\p{Lu}.*(onde ficou das \d|em trânsito$|último registro em )/u,
    stay: /: ([^:]+), onde ficou das (\d\d:\d\d) às (\d\d:\d\d)$/,
  },
)

for (const locale of getLocales(import.meta.url)) {
  const says = SAYS[locale]
  test.describe(`device tracks (${locale})`, () => {
    test.use({ locale })

    test('a user’s track of yesterday is replayed, shown as a table and downloaded', async ({ page }) => {
      const complaints = watch(page)
      // Where was she yesterday at three? Four clicks and the time lead to the name of the place.
      await openSession(page, locale, 'acme', 'alice', at(locale, '/dashboard'))
      const counter = clickCounter()
      const { click } = counter
      await click(page.getByRole('link', { name: says('Device users'), exact: true }))
      await click(page.getByRole('row').filter({ hasText: 'AC-1042' }).getByRole('link').first())
      await click(page.getByRole('link', { name: says('Positions'), exact: true }))
      await expect(page).toHaveURL(/tab=gps/)
      const times = page.getByRole('radiogroup', { name: says('Time'), exact: true })
      await click(times.getByText(says('Yesterday'), { exact: true }))
      await expect(page).toHaveURL(/from=yesterday/)
      const clock = page.getByLabel(says('Time of day'), { exact: true })
      await clock.fill('15:00')
      await clock.press('Enter')
      const answer = page.locator('output').filter({ hasText: '15:00:00' })
      await expect(answer).toHaveText(says.answer)
      // The demo's days differ: at three she is at work, at home or on a trip. A stay stands in the list of stops.
      const stops = page.getByRole('list', { name: says('Stops and trips') })
      const [, place, from = '', to = ''] = says.stay.exec(await answer.innerText()) ?? []
      if (place) {
        expect(from < '15:01' && to > '14:59').toBe(true)
        await expect(stops.getByRole('button').filter({ hasText: `${place}, ${from}–${to}` })).toBeVisible()
      }
      expect(counter.clicks).toBeLessThanOrEqual(4)
      const moment = page.getByRole('slider', { name: says('Position in time') })
      await expect(moment).toBeVisible()
      // The replay ends at home in the evening; from an earlier stop it continues.
      const last = Number(await moment.getAttribute('max'))
      const earlier = stops.getByRole('button').filter({ hasText: '–' }).nth(1)
      const stay = await earlier.innerText()
      await earlier.click()
      await expect(stops.locator('[aria-current=true]')).toHaveText(stay)
      const shown = Number(await moment.inputValue())
      expect(shown).toBeLessThan(last)
      await page.getByRole('button', { name: says('Replay'), exact: true }).click()
      await expect.poll(async () => Number(await moment.inputValue())).toBeGreaterThan(shown + 60)
      await page.getByRole('button', { name: says.pause, exact: true }).click()
      const stopped = Number(await moment.inputValue())
      await moment.press('ArrowRight')
      expect(Number(await moment.inputValue())).toBe(Math.min(last, stopped + 60))
      // The audit log names the device and period of the export.
      const noted = page.waitForRequest(/profile\/exports/)
      const file = page.waitForEvent('download')
      await page.getByRole('button', { name: 'GPX', exact: true }).click()
      const gpx = await readFile(await (await file).path(), 'utf8')
      expect(gpx).toContain('<trkpt lat="5')
      expect((await noted).postDataJSON()).toMatchObject({
        list: 'listGpsOfUser',
        format: 'gpx',
        device_user_reference: 'AC-1042',
        from: expect.any(String),
      })
      await expect(page.getByRole('row').nth(20)).toContainText('Harriet Cole')
      await expectAccessible(page, { part: 'main' })
      expect(complaints).toEqual([])
    })

    test('the map of last positions links to the track of a device', async ({ page }) => {
      const complaints = watch(page)
      await openSession(page, locale, 'acme', 'alice', at(locale, '/dashboard/devices'))
      await page.getByRole('link', { name: says('Map'), exact: true }).click()
      // The map is drawn with its outlines: the element says so, and the picture has many colours.
      const map = page.locator('[data-drawn]')
      await expect(map).toBeVisible({ timeout: 60_000 })
      expect((await map.screenshot()).length).toBeGreaterThan(20_000)
      const list = page.getByRole('list', { name: says('Last positions') })
      const all = await list.getByRole('listitem').count()
      // In the words of the list of devices: a device that uploads nothing is not silent.
      for (const [name, state] of [
        ['Nadia Volk', says('Online, no recordings')],
        ['Marcus Reid', says('Silent')],
      ] as const)
        await expect(list.getByRole('listitem').filter({ hasText: name })).toContainText(state)
      await page.getByRole('searchbox').fill('almeida')
      await expect(list.getByRole('listitem')).toHaveCount(1)
      await page.getByRole('searchbox').fill('(011) 95555-0104')
      await expect(list.getByRole('listitem')).toHaveCount(1)
      await expect(list).toContainText('João Almeida')
      expect(all).toBeGreaterThan(1)
      // A click on a device moves the map to it.
      const before = await map.screenshot()
      await list.getByRole('button').press('Enter')
      await expect(list.locator('[aria-current=true]')).toBeVisible()
      await expect.poll(async () => before.equals(await map.screenshot())).toBe(false)
      await expectAccessible(page, { part: 'main' })
      await page
        .getByRole('link', { name: says('Track'), exact: true })
        .first()
        .click()
      await expect(page).toHaveURL(/\/gps/)
      await expect(page.getByRole('slider', { name: says('Position in time') })).toBeVisible()
      expect(complaints).toEqual([])
      // Without WebGL a sentence says so, and the list has the same facts.
      await page.addInitScript(() => {
        HTMLCanvasElement.prototype.getContext = () => null
      })
      await page.reload()
      await expect(page.getByText(/WebGL/)).toBeVisible()
      await expect(
        page
          .getByRole('list', { name: says('Stops and trips') })
          .getByRole('button')
          .first(),
      ).toBeVisible()
    })

    test('streets come from the configured PMTiles file, after a click and from its host only', async ({
      page,
    }) => {
      const complaints = watch(page)
      const asked: string[] = []
      let file = getPmtiles('picture', onePixel([255, 0, 255]))
      await page.route('https://maps.example/**', async (route) => {
        const { range = '' } = route.request().headers()
        const [from = 0, to = 0] = range.replace('bytes=', '').split('-').map(Number)
        asked.push(route.request().url())
        const part = file.subarray(from, to + 1)
        const headers = {
          'access-control-allow-origin': '*',
          'content-range': `bytes ${range}/${file.length}`,
        }
        await route.fulfill({ status: 206, body: part, headers })
      })
      await openSession(page, locale, 'acme', 'alice', at(locale, '/dashboard/devices?tab=map'))
      const map = page.locator('[data-drawn]')
      await expect(map).toBeVisible({ timeout: 60_000 })
      expect(asked).toEqual([])
      await page.getByRole('button', { name: says('Show streets') }).click()
      await expect(page).toHaveURL(/map=streets/)
      await expect(page.getByText('© Streets')).toBeVisible()
      const shown = async () => await colourInside(page, await map.screenshot())
      await expect.poll(shown, { timeout: 60_000 }).toEqual([255, 0, 255])
      // A file of vectors gets the colours of the Protomaps style.
      file = getPmtiles('vectors', earthTile())
      await page.reload()
      await expect(map).toBeVisible({ timeout: 60_000 })
      await expect.poll(shown, { timeout: 60_000 }).toEqual([226, 223, 218])
      expect(new Set(asked)).toEqual(new Set([STREETS]))
      expect(complaints).toEqual([])
    })
  })
}
