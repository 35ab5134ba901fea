import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expectAccessible } from './accessibility.ts'
import { getLocales, inBoth } from './locales.ts'
import { at, type Locale, openSession, visit, watch, clickCounter } from './person.ts'
import { expect, type Page, test } from './test.ts'

const TEXTS = inBoth(
  {
    import: 'Import',
    wouldAdd: 'The import would add 1 group, 2 device users, 2 devices and 8 recordings',
  },
  {
    import: 'Importar',
    wouldAdd: 'A importação adicionaria 1 grupo, 2 usuários de dispositivos, 2 dispositivos e 8 gravações',
  },
)

/** A person with messages and a device, with unique names; more recordings than one call accepts. */
function getFiles(locale: Locale, folder: string) {
  const own = locale.toLowerCase()
  mkdirSync(folder, { recursive: true })
  // On disk: an upload resumes by modification time.
  const file = (name: string, text: string) => {
    const path = join(folder, name)
    writeFileSync(path, text)
    return path
  }
  const row = `L-${own},SMS,legacy-phone-${own},2024-01-01T00:00:00Z,I,t,+447700900123,Hello`
  return {
    message: `L-${own}`,
    people: [
      file('users.csv', `UserReference,FirstName\nlegacy-${own},Lena\n`),
      file('devices.csv', `DeviceReference,UserReference\nlegacy-phone-${own},legacy-${own}\n`),
    ],
    recordings: file(
      `payloads-${own}.csv`,
      `LegacyPayloadReference,PayloadType,DeviceReference,PayloadTime,Direction,ThreadId,Parties,Text,${'x'.repeat(1.5 * 1024 ** 2)}\n${row},\n`,
    ),
  }
}

/** Presses a button and confirms. */
async function press(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name, exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name, exact: true }).click()
}

for (const locale of getLocales(import.meta.url))
  test(`legacy files are tested, imported, reviewed and accepted (${locale})`, async ({ page }) => {
    const words = TEXTS[locale]
    const seen = watch(page)
    const { message, people, recordings } = getFiles(locale, test.info().outputPath())
    await openSession(page, locale, 'acme', 'alice', at(locale, '/dashboard/account/migrations'))
    await page.getByRole('link', { name: words('New migration') }).click()
    await page.getByLabel(words('Add files'), { exact: true }).first().setInputFiles(people)
    await expect(page.getByRole('row', { name: 'devices.csv' })).toBeVisible()
    // The connection breaks after the first part; the same file resumes with the second.
    const places: number[] = []
    let isBroken = true
    await page.route('**/migration_files*', async (route) => {
      const part = route.request().postDataJSON() as { offset: number; filename: string } | null
      if (!part?.filename.startsWith('payloads')) return route.continue()
      const { offset } = part
      places.push(offset)
      return isBroken && offset > 0 ? route.abort() : route.continue()
    })
    await page.getByLabel(words('Add files'), { exact: true }).first().setInputFiles(recordings)
    await expect(page.getByText(words('Choose the same file again to continue the upload.'))).toBeVisible()
    isBroken = false
    await page.getByLabel(words('Add files'), { exact: true }).first().setInputFiles(recordings)
    await expect(
      page.getByRole('row', { name: `payloads-${locale.toLowerCase()}.csv` }).getByText(words('Whole')),
    ).toBeVisible()
    expect(places.filter((place) => place === 0)).toHaveLength(1)
    await expectAccessible(page)
    await page.getByRole('button', { name: words('Dry run'), exact: true }).click()
    await expect(page.getByText(words('Could be migrated'))).toBeVisible()
    await expect(page.getByText(words('Nothing was imported'))).toBeVisible()
    await page.getByRole('link', { name: words('Sign-off') }).click()
    await expect(page.getByText(words('Nothing to accept'))).toBeVisible()

    await page.goBack()
    await press(page, words.import)
    // The list also shows earlier runs.
    await expect(page.getByRole('link', { name: words('Results') })).toBeVisible()
    await expect(page.getByText(words('Migrated'), { exact: true })).toBeVisible()
    await page.getByRole('link', { name: words('Results') }).click()
    await expect(page.getByText(words('Device user added')).first()).toBeVisible()
    await page.getByRole('link', { name: words('Sign-off') }).click()
    await expect(page.getByText(words('This run is not accepted yet'))).toBeVisible()
    await expect(page.getByRole('button', { name: words('Accept the run') })).toHaveCount(0)
    await expectAccessible(page)

    const run = page.url()
    await page.getByRole('link', { name: message }).click()
    await expect(page.getByText('Hello').first()).toBeVisible()
    await page.goto(run)
    await press(page, words('Accept the run'))
    await expect(page.getByText(words('This run is accepted'))).toBeVisible()

    // The example is imported as it is downloaded: at most five clicks.
    await visit(page, at(locale, '/dashboard/account/migrations?tab=files'))
    const counter = clickCounter()
    const { click } = counter
    const download = page.waitForEvent('download')
    await click(page.getByRole('link', { name: words('Download an example') }))
    const example = test.info().outputPath('example.zip')
    await (await download).saveAs(example)
    await page.getByLabel(words('Add files'), { exact: true }).first().setInputFiles(example)
    counter.clicks++
    await expect(page.getByRole('row', { name: 'media/picture.png' })).toBeVisible()
    await click(page.getByRole('button', { name: words('Dry run'), exact: true }))
    await expect(page.getByText(words.wouldAdd)).toBeVisible()
    await expectAccessible(page)
    await click(page.getByRole('button', { name: words.import, exact: true }))
    await click(page.getByRole('dialog').getByRole('button', { name: words.import, exact: true }))
    await expect(page.getByText(words('Migrated'), { exact: true })).toBeVisible()
    expect(counter.clicks).toBe(5)
    // The aborted request is expected.
    expect(seen.filter((each) => !each.includes('ERR_FAILED'))).toEqual([])
  })
