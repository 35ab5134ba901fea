import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MEDIA_FOLDER } from '@custodia/simulator'
import AxeBuilder from '@axe-core/playwright'
import { expect, test } from '@playwright/test'
import { record } from './film.ts'
import { at, type Locale, openSession, watch, WORDS } from './person.ts'

const TEXTS = {
  'en-GB': { diagnostics: 'Diagnostics', contents: 'Contents', single: /single file/ },
  'pt-BR': { diagnostics: 'Diagnóstico', contents: 'Conteúdo', single: /único arquivo/ },
} as const

let reference = ''
test.beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'custodia-bundle-'))
  const path = join(MEDIA_FOLDER, 'formats/bundle.zip')
  reference = await record('diagnostics', { path, title: 'A bundle', seconds: 0 }, folder)
  await rm(folder, { recursive: true })
})

for (const locale of ['en-GB', 'pt-BR'] as const satisfies Locale[]) {
  test.describe(`a reader of diagnostics (${locale})`, () => {
    test.use({ locale })
    const words = WORDS[locale]
    const texts = TEXTS[locale]

    test('sees what is in a bundle without opening it, and downloads it', async ({ page }) => {
      const complaints = watch(page)
      await openSession(page, locale, 'acme', 'alice')
      await page.getByRole('navigation').getByRole('link', { name: texts.diagnostics }).click()
      await expect(page.getByRole('heading', { level: 1, name: texts.diagnostics })).toBeVisible()
      await expect(page.getByRole('row').nth(1)).toBeVisible()
      await page.goto(at(locale, `/dashboard/services/diagnostics?preview=${reference}`))
      const contents = page.getByRole('table', { name: texts.contents })
      await expect(contents.getByRole('row').nth(1)).toContainText(/\.\w+/)
      const { violations } = await new AxeBuilder({ page }).analyze()
      expect(violations.map(({ id, nodes }) => [id, nodes[0]?.html])).toEqual([])
      const downloading = page.waitForEvent('download')
      await page.getByRole('button', { name: words.download }).click()
      const download = await downloading
      expect(await download.failure()).toBeNull()
      expect(download.suggestedFilename()).toBe(`${reference}.zip`)

      // What apps send by themselves is one file.
      await page.goto(at(locale, '/dashboard/services/diagnostics?states=Processed'))
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
