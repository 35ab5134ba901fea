import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { memoryStore, openPhone, readEnrolment } from '@custodia/device-sdk'
import { tryPhone } from '@custodia/simulator'
import jsqr from 'jsqr'
import { expectAccessible } from './accessibility.ts'
import { getLocales, inBoth } from './locales.ts'
import { at, type Locale, openSession, visit, watch, WORDS } from './person.ts'
import { expect, type Locator, type Page, test } from './test.ts'

const SAYS = inBoth(
  {
    saved: 'Grace Hopper saved',
    done: 'Done',
    keep: 'Keep it confidential',
  },
  {
    saved: 'Grace Hopper: salvo',
    done: 'Concluir',
    keep: 'Mantenha-o confidencial',
  },
)

/** Text of the QR code. */
async function scanned(code: Locator): Promise<string | undefined> {
  const side = 400
  const greys = await code.evaluate(async (image: HTMLImageElement, width) => {
    await image.decode()
    const canvas = Object.assign(document.createElement('canvas'), { width, height: width })
    const context = canvas.getContext('2d')
    if (!context) throw new Error('no canvas')
    context.drawImage(image, 0, 0, width, width)
    return [...context.getImageData(0, 0, width, width).data].filter((_, i) => i % 4 === 0)
  }, side)
  const pixels = Uint8ClampedArray.from(greys.flatMap((grey) => [grey, grey, grey, 255]))
  return jsqr.default(pixels, side, side)?.data
}

/** Adds a device user and opens their page. */
async function onboard(page: Page, locale: Locale, reference: string): Promise<void> {
  const says = SAYS[locale]
  await visit(page, at(locale, '/dashboard/devices/users'))
  await page.getByRole('link', { name: says('Add device user') }).click()
  const drawer = page.getByRole('dialog')
  await drawer.getByLabel(says('Reference')).fill(reference)
  await drawer.getByLabel(says('First name'), { exact: true }).fill('Grace')
  await drawer.getByLabel(says('Surname')).fill('Hopper')
  await drawer.getByRole('combobox', { name: says('Group') }).click()
  await drawer.getByRole('option', { name: 'Trading Desk' }).click()
  await drawer.getByRole('button', { name: says('Save'), exact: true }).click()
  await expect(page.getByText(says.saved)).toBeVisible()
  await visit(page, at(locale, `/dashboard/devices/users/${reference}`))
}

for (const locale of getLocales(import.meta.url)) {
  const says = SAYS[locale]
  const words = WORDS[locale]

  test.describe(`device enrolment (${locale})`, () => {
    test.use({ locale })

    test('a user is onboarded, a device scans the code, and its first call plays', async ({ page }) => {
      const complaints = watch(page)
      const folder = await mkdtemp(join(tmpdir(), 'custodia-enrol-'))
      await openSession(page, locale, 'acme', 'alice')
      await onboard(page, locale, `grace-${locale}`)
      await page.getByRole('button', { name: says('Enrol a phone') }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByRole('button', { name: says('Show the code') }).click()
      await expect(dialog.getByText(says('Waiting for the phone …'))).toBeVisible()
      const text = (await dialog.locator('[data-enrolment]').textContent()) ?? ''
      expect(await scanned(dialog.getByRole('img', { name: says('Enrolment QR code') }))).toBe(text)
      await expectAccessible(page, { part: '[role=dialog]' })
      // Only the sheet is printed.
      await page.emulateMedia({ media: 'print' })
      await expect(page.getByText(says.keep, { exact: false })).toBeVisible()
      await expect(dialog.getByText(says('Waiting for the phone …'))).toBeHidden()
      const printed = await page.locator('body > div > img').boundingBox()
      expect(printed?.width).toBeGreaterThan(300)
      await page.emulateMedia({ media: 'screen' })

      const { server_url, ...account } = readEnrolment(text)
      const payload_reference = await tryPhone({
        server_url,
        account,
        person: null,
        what: 'call',
        now: Math.floor(Date.now() / 1000),
        folder,
        say: () => {},
      })
      await rm(folder, { recursive: true })
      // The dialog notices the enrolled device.
      const phone = dialog.locator('[data-progress]').getByRole('link')
      await expect(phone).toBeVisible()
      // The link names the person before the model.
      const model = (await phone.textContent())?.split(' · ').at(-1) ?? ''
      await dialog.getByRole('button', { name: says.done, exact: true }).click()
      const enrolments = page.getByRole('table', { name: says('Enrolments') })
      await expect(enrolments.getByRole('row').filter({ hasText: says('Enrolled') })).toContainText(model)

      await visit(page, at(locale, `/dashboard/services/calls/${payload_reference}`))
      await page.getByRole('button', { name: words.play }).click()
      await expect(page.getByRole('button', { name: words.pause })).toBeVisible()
      expect(complaints).toEqual([])
    })

    test('a device that uses the code of a roll-out waits, and the code is revoked in the list', async ({
      page,
    }) => {
      const complaints = watch(page)
      await openSession(page, locale, 'acme', 'alice', at(locale, '/dashboard/devices?tab=enrolments'))
      await page.getByRole('button', { name: says('Enrol phones in bulk') }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel(says('Phones at most')).fill('25')
      await dialog.getByRole('button', { name: says('Show the code') }).click()
      const code = dialog.getByRole('img', { name: says('Enrolment QR code') })
      const text = (await dialog.locator('[data-enrolment]').textContent()) ?? ''
      expect(await scanned(code)).toBe(text)
      const identity = { model: 'Pixel', os_version: '16', app_version: '1', phone_numbers: [], imeis: [] }
      const phone = await openPhone({ enrolment: readEnrolment(text), identity, store: memoryStore() })
      await phone.authenticate()
      await expect(dialog.locator('[data-progress]')).toContainText(says('Awaiting confirmation'))
      await dialog.getByRole('button', { name: says.done, exact: true }).click()
      const row = page.getByRole('row').filter({ hasText: '1 / 25' })
      await row.first().click()
      await page.getByRole('button', { name: says('Revoke'), exact: true }).click()
      await page
        .getByRole('dialog')
        .getByRole('button', { name: says('Revoke'), exact: true })
        .click()
      await expect(page.getByText(says('Enrolment revoked'))).toBeVisible()
      expect(complaints).toEqual([])
    })
  })
}
