import { readFile } from 'node:fs/promises'
import { expect, test } from './test.ts'
import { localesOf } from './locales.ts'
import { at, openSession, watch, WORDS } from './person.ts'

const TEXTS = {
  'en-GB': { download: 'Download originals', play: 'Play in sequence', begun: 'Download started' },
  'pt-BR': { download: 'Baixar originais', play: 'Reproduzir em sequência', begun: 'Download iniciado' },
} as const

for (const locale of localesOf(import.meta.url)) {
  test(`selected calls are downloaded as one archive, and played in turn (${locale})`, async ({ page }) => {
    const [words, texts] = [WORDS[locale], TEXTS[locale]]
    const complaints = watch(page)
    await openSession(
      page,
      locale,
      'acme',
      'alice',
      at(locale, '/dashboard/services/calls?payload_types=Call&states=Processed'),
    )
    const rows = page.getByRole('row').filter({ has: page.getByRole('gridcell') })
    const select = async () => {
      await expect(rows.nth(1)).toBeVisible()
      await rows.first().getByRole('checkbox').check()
      await rows.nth(1).getByRole('checkbox').check()
    }
    // A press during preparation would not play later: wait for both calls.
    for (const index of [0, 1]) {
      await expect(rows.nth(1)).toBeVisible()
      await rows.nth(index).getByRole('link').first().click()
      await expect(page.getByRole('button', { name: words.play })).toBeVisible({ timeout: 90_000 })
      await page.goBack()
    }
    await select()
    const downloading = page.waitForEvent('download')
    await page.getByRole('button', { name: texts.download }).click()
    const download = await downloading
    expect(download.suggestedFilename()).toBe('recordings.zip')
    const zip = (await readFile(await download.path())).toString('latin1')
    // The archive's directory names two recordings and the table of outcomes.
    expect(zip.split('PK\x01\x02')).toHaveLength(4)
    expect(zip.match(/[0-9A-Z]{26},Ok,/g)).toHaveLength(2)
    await expect(page.getByText(texts.begun)).toBeVisible()

    await select()
    await page.getByRole('button', { name: texts.play }).click()
    await page.waitForURL(/\/calls\/[0-9A-Z]{26}/)
    const first = page.url()
    await expect(page.getByRole('button', { name: words.pause })).toBeVisible({ timeout: 90_000 })
    // Playback follows the selection and skips the rest of the list.
    await expect(page.getByText(/^1 (?:of|de) 2$/)).toBeVisible()
    await page.keyboard.press('n')
    await expect(page).not.toHaveURL(first)
    await expect(page.getByText(/^2 (?:of|de) 2$/)).toBeVisible()
    const second = page.url()
    await expect(page.getByRole('button', { name: words.play })).toBeVisible({ timeout: 90_000 })
    await page.keyboard.press('p')
    await expect(page).toHaveURL(first)
    expect(second).not.toBe(first)
    expect(complaints).toEqual([])
  })
}
