import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MEDIA_FOLDER } from '@custodia/simulator'
import { expectAccessible } from './accessibility.ts'
import { record } from './film.ts'
import { getLocales } from './locales.ts'
import { at, openSession, visit, watch, WORDS } from './person.ts'
import { expect, test } from './test.ts'

const TEXTS = {
  'en-GB': { diagnostics: 'Diagnostics', contents: 'Contents', single: /single file/ },
  'pt-BR': { diagnostics: 'Diagnósticos', contents: 'Conteúdo', single: /único arquivo/ },
} as const

/** Uploads a diagnostics bundle; resolves to its reference. */
async function recordBundle(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'custodia-bundle-'))
  const path = join(MEDIA_FOLDER, 'formats/bundle.zip')
  try {
    return await record('diagnostics', { path, title: 'A bundle', seconds: 0 }, folder)
  } finally {
    await rm(folder, { recursive: true })
  }
}

for (const locale of getLocales(import.meta.url)) {
  test.describe(`a reader of diagnostics (${locale})`, () => {
    test.use({ locale })
    const words = WORDS[locale]
    const texts = TEXTS[locale]

    test('sees the contents of a bundle without opening it and downloads it', async ({ page }) => {
      const reference = await recordBundle()
      const complaints = watch(page)
      await openSession(page, locale, 'acme', 'alice')
      await page.getByRole('navigation').getByRole('link', { name: texts.diagnostics }).click()
      await expect(page.getByRole('heading', { level: 1, name: texts.diagnostics })).toBeVisible()
      await expect(page.getByRole('row').nth(1)).toBeVisible()
      await visit(page, at(locale, `/dashboard/services/diagnostics?preview=${reference}`))
      const contents = page.getByRole('table', { name: texts.contents })
      await expect(contents.getByRole('row').nth(1)).toContainText(/\.\w+/)
      await expectAccessible(page)
      const downloading = page.waitForEvent('download')
      await page.getByRole('button', { name: words.download }).click()
      const download = await downloading
      expect(await download.failure()).toBeNull()
      expect(download.suggestedFilename()).toBe(`${reference}.zip`)

      // An automatic bundle is one file.
      await visit(page, at(locale, '/dashboard/services/diagnostics?states=Processed'))
      await page
        .getByRole('row')
        .filter({ has: page.getByRole('gridcell') })
        .last()
        .click()
      await expect(page.getByText(texts.single)).toBeVisible()
      expect(complaints).toEqual([])
    })
  })
}
