import { getLocales, phrases } from './locales.ts'
import { at, openSession, watch, WORDS } from './person.ts'
import { expect, test } from './test.ts'

for (const locale of getLocales(import.meta.url)) {
  test(`an account requires a reason for downloads and list exports (${locale})`, async ({ page }) => {
    const [words, says] = [WORDS[locale], phrases(locale)]
    const complaints = watch(page)
    await openSession(page, locale, 'acme', 'alice', null)
    const settings = at(locale, '/dashboard/account/settings')
    const save = async () => {
      await page.getByRole('button', { name: says('Save'), exact: true }).click()
      await expect(page.getByText(says('Account settings saved'))).toBeVisible()
    }
    await page.goto(settings)
    await page.getByLabel(says('Require a reason for downloads and exports')).check()
    // The demo's reasons, and a new one.
    const reasons = page.getByRole('combobox', { name: says('Reasons'), exact: true })
    await reasons.fill(`Court order (${locale})`)
    await reasons.press('Enter')
    await save()

    const dialog = page.getByRole('dialog', { name: says('Reason for download or export') })
    await page.goto(at(locale, '/dashboard/services/calls?payload_types=Call&states=Processed'))
    const rows = page.getByRole('row').filter({ has: page.getByRole('gridcell') })
    await rows.first().getByRole('checkbox').check()
    let files = 0
    page.on('download', () => files++)
    // Cancel downloads nothing.
    await page.getByRole('button', { name: says('Export CSV') }).click()
    await dialog.getByRole('button', { name: says('Cancel') }).click()
    await expect(dialog).toBeHidden()
    await page.getByRole('button', { name: says('Export CSV') }).click()
    await dialog.getByRole('button', { name: says('Continue') }).click()
    await expect(dialog.getByText(says('Choose a reason.'))).toBeVisible()
    await dialog.getByLabel(`Court order (${locale})`).check()
    const csv = page.waitForEvent('download')
    await dialog.getByRole('button', { name: says('Continue') }).click()
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
    await dialog.getByLabel(says('Reason')).fill('Asked for by the regulator')
    const original = page.waitForEvent('download')
    await dialog.getByRole('button', { name: says('Continue') }).click()
    expect(await (await original).failure()).toBeNull()

    await page.goto(settings)
    await page.getByLabel(says('Require a reason for downloads and exports')).uncheck()
    await save()
    expect(complaints).toEqual([])
  })
}
