import { readFile } from 'node:fs/promises'
import { expect, test } from './test.ts'
import { expectAccessible } from './accessibility.ts'
import { localesOf } from './locales.ts'
import { at, openSession, watch } from './person.ts'

const SAYS = {
  'en-GB': {
    positions: 'Positions',
    time: 'Time',
    replay: 'Replay',
    pause: 'Pause',
    moment: 'Position in time',
    stops: 'Stops',
    show: 'Show',
    map: 'Map',
    track: 'Track',
  },
  'pt-BR': {
    positions: 'Posições',
    time: 'Período',
    replay: 'Reproduzir percurso',
    pause: 'Pausar',
    moment: 'Momento do percurso',
    stops: 'Paradas',
    show: 'Mostrar',
    map: 'Mapa',
    track: 'Percurso',
  },
} as const

for (const locale of localesOf(import.meta.url)) {
  const says = SAYS[locale]
  test.describe(`device tracks (${locale})`, () => {
    test.use({ locale })

    test('a user’s track of yesterday is replayed, shown as a table and downloaded', async ({ page }) => {
      const complaints = watch(page)
      await openSession(page, locale, 'acme', 'alice', at(locale, '/dashboard/devices/users/AC-1042'))
      await page.getByRole('link', { name: says.positions, exact: true }).click()
      await expect(page).toHaveURL(/tab=gps/)
      const range = page.locator('select').first()
      await range.selectOption('2')
      await expect(page).toHaveURL(/from=yesterday/)
      const moment = page.getByRole('slider', { name: says.moment })
      await expect(moment).toBeVisible()
      // The replay ends at home in the evening; from an earlier stop it continues.
      const last = Number(await moment.inputValue())
      await page.getByRole('button', { name: says.show, exact: true }).first().click()
      const shown = Number(await moment.inputValue())
      expect(shown).toBeLessThan(last)
      await page.getByRole('button', { name: says.replay, exact: true }).click()
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
      await page.locator('label').filter({ hasText: says.positions }).click()
      await expect(page.getByRole('row').nth(20)).toBeVisible()
      await expectAccessible(page, { part: 'main' })
      expect(complaints).toEqual([])
    })

    test('the map of last positions links to the track of a device', async ({ page }) => {
      const complaints = watch(page)
      await openSession(page, locale, 'acme', 'alice', at(locale, '/dashboard/devices'))
      await page.getByRole('link', { name: says.map, exact: true }).click()
      await expect(page.getByRole('application')).toBeVisible()
      await page.getByRole('link', { name: says.track, exact: true }).first().click()
      await expect(page).toHaveURL(/\/gps/)
      await expect(page.getByRole('slider', { name: says.moment })).toBeVisible()
      expect(complaints).toEqual([])
    })
  })
}
