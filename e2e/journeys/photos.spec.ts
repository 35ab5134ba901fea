import { namedReference } from '../../tools/simulator/src/itinerary.ts'
import { getLocales } from './locales.ts'
import { at, openSession, visit, watch, WORDS } from './person.ts'
import { expect, test } from './test.ts'

const TEXTS = {
  'en-GB': {
    photos: 'Photos',
    photo: 'Photo',
    table: 'Show as a table',
    tiles: 'Show as tiles',
    own: /Actual size/,
    turn: /^Rotate/,
    large: /^Full screen/,
    opened: 'Opened',
    shortcuts: 'Keyboard shortcuts',
    ofPhotos: 'On a photo',
    next: 'Next (N)',
    astray: /^7 km from the phone’s reported position$/,
  },
  'pt-BR': {
    photos: 'Fotos',
    photo: 'Foto',
    table: 'Mostrar como tabela',
    tiles: 'Mostrar como mosaico',
    own: /Tamanho real/,
    turn: /^Girar/,
    large: /^Tela cheia/,
    opened: 'Abriu',
    shortcuts: 'Atalhos de teclado',
    ofPhotos: 'Em uma foto',
    next: 'Próximo (N)',
    astray: /^a 7 km da posição informada pelo telefone$/,
  },
} as const

for (const locale of getLocales(import.meta.url)) {
  test.describe(`a reviewer of photos (${locale})`, () => {
    test.use({ locale })
    const words = WORDS[locale]
    const texts = TEXTS[locale]

    test('browses photos with the arrow keys, zooms, rotates and finds the view in the audit log', async ({
      page,
    }) => {
      const complaints = watch(page)
      await openSession(page, locale, 'acme', 'alice')
      await page.getByRole('navigation').getByRole('link', { name: texts.photos }).click()
      await expect(page.getByRole('heading', { level: 1, name: texts.photos })).toBeVisible()
      await visit(page, at(locale, '/dashboard/services/photos?states=Processed'))
      const tiles = page.getByRole('gridcell')
      await expect(tiles.nth(1)).toBeVisible()
      await page.getByRole('button', { name: texts.table }).click()
      await expect(page.getByRole('columnheader').first()).toBeVisible()
      await page.getByRole('button', { name: texts.tiles }).click()
      await tiles.first().focus()
      await page.keyboard.press('ArrowRight')
      await expect(tiles.nth(1)).toBeFocused()
      // A preview moves tiles to other lines; the focus stays at its tile.
      const fourth = page.locator('[role=gridcell][data-index="3"]')
      for (let i = 0; i < 2; i++) await page.keyboard.press('ArrowRight')
      await expect(fourth).toBeFocused()
      await page.keyboard.press('o')
      await expect(page.getByRole('complementary')).toBeVisible()
      await expect(fourth).toBeFocused()
      await page.keyboard.press('Escape')
      await expect(page.getByRole('complementary')).toHaveCount(0)
      await expect(fourth).toBeFocused()
      await page.keyboard.press('Home')
      await expect(tiles.first()).toBeFocused()
      await page.keyboard.press('Enter')
      await page.waitForURL(/\/photos\/[0-9A-Z]{26}/)
      const photo = page.getByRole('region', { name: texts.photo, exact: true }).getByRole('img').first()
      const width = () => photo.evaluate((image: HTMLImageElement) => image.naturalWidth)
      await expect.poll(width).toBeGreaterThan(100)
      const first = page.url()
      await page.keyboard.press('ArrowRight')
      await expect(page).not.toHaveURL(first)
      await expect.poll(width).toBeGreaterThan(100)
      await page.keyboard.press('ArrowLeft')
      await expect(page).toHaveURL(first)
      await expect.poll(width).toBeGreaterThan(100)
      await page.getByRole('button', { name: texts.own }).click()
      await expect(page.getByRole('main').getByText(/^100\s?%$/)).toBeVisible()
      await page.getByRole('button', { name: texts.turn }).click()
      await expect(photo).toHaveAttribute('style', /rotate\(90deg\)/)
      // The lightbox stays open from photo to photo, with the keys of the page.
      await page.getByRole('button', { name: texts.large }).click()
      const lightbox = page.getByRole('dialog', { name: texts.photo })
      await expect(lightbox.locator('img')).toBeVisible()
      await page.keyboard.press('ArrowRight')
      await expect(page).not.toHaveURL(first)
      await expect(lightbox.locator('img')).toBeVisible()
      // So does the focus.
      await expect(page.getByRole('heading', { level: 1 })).not.toBeFocused()
      await expect
        .poll(() => lightbox.evaluate((dialog) => dialog.contains(document.activeElement)))
        .toBe(true)
      await page.keyboard.press('ArrowLeft')
      await expect(page).toHaveURL(first)
      // The help closes alone.
      await page.keyboard.press('?')
      const help = page.getByRole('dialog', { name: texts.shortcuts })
      await expect(help.getByRole('heading', { name: texts.ofPhotos })).toBeVisible()
      await page.keyboard.press('Escape')
      await expect(help).toHaveCount(0)
      await expect(lightbox).toBeVisible()
      await page.keyboard.press('Escape')
      await expect(lightbox).toHaveCount(0)
      await expect(page).toHaveURL(first)
      await expect(page.getByRole('heading', { level: 1 })).toBeFocused()
      await page.getByRole('tab', { name: words.audit }).click()
      await expect(page.getByRole('tabpanel').getByText(texts.opened, { exact: true }).first()).toBeVisible()
      await expect(page.getByRole('tabpanel').getByText(words.played)).toHaveCount(0)
      // A return leads to the photo last seen.
      await page.keyboard.press('u')
      await expect(tiles.first()).toBeFocused()
      // A key pressed before the photo shows counts, and the button at the end keeps the focus.
      await page.keyboard.press('End')
      await page.keyboard.press('ArrowLeft')
      await page.keyboard.press('Enter')
      await page.keyboard.press('v')
      await expect(lightbox.locator('img')).toBeVisible()
      const next = lightbox.getByRole('button', { name: texts.next })
      await next.press('Enter')
      await expect(next).toBeDisabled()
      await expect(next).toBeFocused()
      await page.keyboard.press('Escape')
      await expect(lightbox).toHaveCount(0)
      // A photo with another position (the demo's first).
      await visit(page, at(locale, `/dashboard/services/photos/${namedReference('acme photo 0')}`))
      await expect(page.getByText(texts.astray)).toBeVisible()
      expect(complaints).toEqual([])
      // A refused photo says why, once.
      await page.route('**/data?**', (route) =>
        route.fulfill({ json: { payload_reference: 'A'.repeat(26), status: 'NoS3Url' } }),
      )
      await page.reload()
      await expect(page.getByRole('alert')).toContainText('NoS3Url')
      await expect(page.getByRole('alert')).toHaveCount(1)
    })
  })
}
