import { expectAccessible } from './accessibility.ts'
import { getLocales, inBoth } from './locales.ts'
import { at, openSession, watch } from './person.ts'
import { expect, test } from './test.ts'

const TEXTS = inBoth(
  {
    address: 'Address',
    done: 'Done',
    deliveries: 'Last deliveries',
    changed: 'Alice Carter changed this during your edit',
  },
  {
    address: 'Endereço',
    done: 'Concluir',
    deliveries: 'Últimas entregas',
    changed: 'Alice Carter alterou isto durante a sua edição',
  },
)

for (const locale of getLocales(import.meta.url)) {
  const texts = TEXTS[locale]
  test(`a webhook is added, tested, changed by two people and removed (${locale})`, async ({
    browser,
    page,
  }) => {
    const complaints = watch(page)
    await openSession(page, locale, 'acme', 'alice', at(locale, '/dashboard/account/webhooks'))
    const name = `Desk ${locale}`
    await page.getByRole('button', { name: texts('Add a webhook') }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel(texts('Name')).fill(name)
    // An address in the operator's network is rejected.
    await dialog.getByLabel(texts.address).fill('https://127.0.0.1/')
    await dialog.getByRole('button', { name: texts('Save') }).click()
    await expect(dialog.getByLabel(texts.address)).toHaveAttribute('aria-invalid', 'true')
    // The browser logs the rejected request, as expected.
    complaints.length = 0
    await dialog.getByLabel(texts.address).fill('https://hooks.invalid/')
    await dialog.getByRole('button', { name: texts('Save') }).click()
    await expect(dialog.locator('[data-secret]')).toHaveText(/^whsec_[A-Za-z0-9+/]{43}=$/)
    await dialog.getByRole('button', { name: texts.done }).click()
    const card = page.getByRole('region', { name, exact: true })
    await card.getByRole('button', { name: texts('Send a test') }).click()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: texts('Send a test') })
      .click()
    await expect(card.getByRole('table', { name: texts.deliveries })).toContainText('unknown_host', {
      timeout: 30_000,
    })
    await expectAccessible(page)
    const other = await (await browser.newContext()).newPage()
    await openSession(other, locale, 'acme', 'ines', at(locale, '/dashboard/account/webhooks'))
    for (const each of [page, other]) {
      const edit = each
        .getByRole('region', { name, exact: true })
        .getByRole('button', { name: texts('Edit') })
      await edit.click()
      await each
        .getByRole('dialog')
        .getByLabel(texts.address)
        .fill(`https://hooks.invalid/${each === page}`)
    }
    await page
      .getByRole('dialog')
      .getByRole('button', { name: texts('Save') })
      .click()
    await expect(page.getByRole('dialog')).toHaveCount(0)
    await other
      .getByRole('dialog')
      .getByRole('button', { name: texts('Save') })
      .click()
    await expect(other.getByRole('dialog')).toContainText(texts.changed)
    await other.context().close()
    await card.getByRole('button', { name: texts('Delete'), exact: true }).click()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: texts('Delete'), exact: true })
      .click()
    await expect(page.getByText(texts('Webhook deleted'))).toBeVisible()
    await expect(card).toHaveCount(0)
    expect(complaints).toEqual([])
  })
}
