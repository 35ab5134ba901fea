import { demoPhone } from '../../apps/server/src/testing/phones.ts'
import { getLocales, inBoth } from './locales.ts'
import { at, openSession, watch } from './person.ts'
import { expect, test } from './test.ts'

const SAYS = inBoth(
  {
    removed: 'This phone then records nothing.',
    sent: 'Command sent to 1 device',
    stated: 'Nothing was left',
  },
  {
    removed: 'Depois disso, o telefone não grava.',
    sent: 'Comando enviado a 1 dispositivo',
    stated: 'Nada restou',
  },
)

for (const locale of getLocales(import.meta.url)) {
  const says = SAYS[locale]
  // Separate devices: both languages run against one server.
  const [first, surname] = locale === 'en-GB' ? ['Imran', 'Shah'] : ['Beatriz', 'Ramos']

  test.describe(`commands (${locale})`, () => {
    test.use({ locale })

    test('one is sent to a phone that is online, and is seen to be done', async ({ copy, page }) => {
      const complaints = watch(page)
      // A device that polls for commands.
      const phone = await demoPhone(copy.dataDir, copy.url, first, { spare: 7 })
      const { device_reference } = await phone.authenticate()
      const obeying = (async () => {
        for (;;) {
          const [result] = await phone.commands({ wait: 55 })
          if (result?.command !== 'sync_data') continue
          await phone.report(result.command_reference, 'Acknowledged')
          return phone.report(result.command_reference, 'Completed', says.stated)
        }
      })()
      await openSession(page, locale, 'acme', 'alice', at(locale, `/dashboard/devices/${device_reference}`))
      await page.getByRole('button', { name: says('Send command…') }).click()
      const dialog = page.getByRole('dialog')
      // The dialog warns before a command that ends capture.
      await dialog.getByRole('radio', { name: says('Allow removal of the app') }).check()
      await expect(dialog.getByText(says.removed, { exact: false })).toBeVisible()
      await dialog.getByRole('radio', { name: says('Upload everything now') }).check()
      await dialog.getByRole('button', { name: says('Send'), exact: true }).click()
      await expect(page.getByText(says.sent)).toBeVisible()
      expect(await obeying).toBe('Completed')
      // The page that sent it shows its progress.
      await expect(page.getByRole('status').filter({ hasText: says('Completed') })).toBeVisible()

      await page.getByRole('link', { name: says('Commands'), exact: true }).click()
      const row = page.getByRole('row').filter({ hasText: says('Upload everything now') })
      await expect(row.getByText(says('Completed'))).toBeVisible()
      await row.click()
      await expect(page.getByText(says.stated).last()).toBeVisible()
      expect(complaints).toEqual([])
    })

    test('a command is sent from the device list and appears under its commands', async ({ page }) => {
      const complaints = watch(page)
      await openSession(page, locale, 'acme', 'alice', at(locale, `/dashboard/devices?search=${surname}`))
      const rows = page.getByRole('row').filter({ hasText: surname })
      await expect(rows.first()).toBeVisible()
      await rows.first().getByRole('checkbox').check()
      await page.getByRole('button', { name: says('Send command…') }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByRole('radio', { name: says('Upload everything now') }).check()
      await dialog.getByRole('button', { name: says('Send'), exact: true }).click()
      await expect(page.getByText(says.sent)).toBeVisible()
      await page
        .getByRole('main')
        .getByRole('link', { name: says('Commands'), exact: true })
        .click()
      await expect(page).toHaveURL(/tab=commands/)
      await expect(
        page
          .getByRole('row')
          .filter({ hasText: says('Upload everything now') })
          .first(),
      ).toBeVisible()
      expect(complaints).toEqual([])
    })
  })
}
