import { expect, test } from './test.ts'
import { localesOf, inBoth } from './locales.ts'
import { at, openSession, watch, WORDS } from './person.ts'

const TEXTS = inBoth({
  asks: 'Require a reason for downloads and exports',
  reasons: 'Reasons',
  save: 'Save',
  saved: 'Account settings saved',
  why: 'Reason for download or export',
  choose: 'Choose a reason.',
  reason: 'Reason',
  cancel: 'Cancel',
  go: 'Continue',
  csv: 'Export CSV',
})

for (const locale of localesOf(import.meta.url)) {
  test(`an account requires a reason for downloads and list exports (${locale})`, async ({ page }) => {
    const [words, says] = [WORDS[locale], TEXTS[locale]]
    const complaints = watch(page)
    await openSession(page, locale, 'acme', 'alice', null)
    const settings = at(locale, '/dashboard/account/settings')
    const save = async () => {
      await page.getByRole('button', { name: says.save, exact: true }).click()
      await expect(page.getByText(says.saved)).toBeVisible()
    }
    await page.goto(settings)
    await page.getByLabel(says.asks).check()
    // The demo's reasons, and a new one.
    const reasons = page.getByRole('combobox', { name: says.reasons, exact: true })
    await reasons.fill(`Court order (${locale})`)
    await reasons.press('Enter')
    await save()

    const dialog = page.getByRole('dialog', { name: says.why })
    await page.goto(at(locale, '/dashboard/services/calls?payload_types=Call&states=Processed'))
    const rows = page.getByRole('row').filter({ has: page.getByRole('gridcell') })
    await rows.first().getByRole('checkbox').check()
    let files = 0
    page.on('download', () => files++)
    // Cancel downloads nothing.
    await page.getByRole('button', { name: says.csv }).click()
    await dialog.getByRole('button', { name: says.cancel }).click()
    await expect(dialog).toBeHidden()
    await page.getByRole('button', { name: says.csv }).click()
    await dialog.getByRole('button', { name: says.go }).click()
    await expect(dialog.getByText(says.choose)).toBeVisible()
    await dialog.getByLabel(`Court order (${locale})`).check()
    const csv = page.waitForEvent('download')
    await dialog.getByRole('button', { name: says.go }).click()
    expect((await csv).suggestedFilename()).toMatch(/\.csv$/)
    expect(files).toBe(1)

    // Without a list users enter free text.
    await page.goto(settings)
    // More times than the demo has reasons.
    for (let i = 0; i < 6; i++) await reasons.press('Backspace')
    await save()
    await page.goto(at(locale, '/dashboard/services/calls?payload_types=Call&states=Processed'))
    await rows.first().getByRole('link').first().click()
    await page.getByRole('button', { name: words.download }).click()
    await dialog.getByLabel(says.reason).fill('Asked for by the regulator')
    const original = page.waitForEvent('download')
    await dialog.getByRole('button', { name: says.go }).click()
    expect(await (await original).failure()).toBeNull()

    await page.goto(settings)
    await page.getByLabel(says.asks).uncheck()
    await save()
    expect(complaints).toEqual([])
  })
}
