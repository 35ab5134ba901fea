import { expect, test } from './test.ts'
import { expectAccessible } from './accessibility.ts'
import { localesOf } from './locales.ts'
import { at, type Locale, openSession, watch } from './person.ts'

const TEXTS = {
  'en-GB': {
    add: 'Add a webhook',
    name: 'Name',
    address: 'Address',
    save: 'Save',
    done: 'Done',
    test: 'Send a test',
    deliveries: 'Last deliveries',
    remove: 'Delete',
    gone: 'Webhook deleted',
  },
  'pt-BR': {
    add: 'Adicionar um webhook',
    name: 'Nome',
    address: 'Endereço',
    save: 'Salvar',
    done: 'Concluir',
    test: 'Enviar um teste',
    deliveries: 'Últimas entregas',
    remove: 'Excluir',
    gone: 'Webhook excluído',
  },
} satisfies Record<Locale, Record<string, string>>

for (const locale of localesOf(import.meta.url)) {
  const texts = TEXTS[locale]
  test(`a webhook is added, tested and removed (${locale})`, async ({ page }) => {
    const complaints = watch(page)
    await openSession(page, locale, 'acme', 'alice', at(locale, '/dashboard/account/webhooks'))
    const name = `Desk ${locale}`
    await page.getByRole('button', { name: texts.add }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel(texts.name).fill(name)
    // An address in the operator's network is rejected.
    await dialog.getByLabel(texts.address).fill('https://127.0.0.1/')
    await dialog.getByRole('button', { name: texts.save }).click()
    await expect(dialog.getByLabel(texts.address)).toHaveAttribute('aria-invalid', 'true')
    // The browser logs the rejected request, as expected.
    complaints.length = 0
    await dialog.getByLabel(texts.address).fill('https://hooks.invalid/')
    await dialog.getByRole('button', { name: texts.save }).click()
    await expect(dialog.locator('[data-secret]')).toHaveText(/^whsec_[A-Za-z0-9+/]{43}=$/)
    await dialog.getByRole('button', { name: texts.done }).click()
    const card = page.getByRole('region', { name, exact: true })
    await card.getByRole('button', { name: texts.test }).click()
    await page.getByRole('dialog').getByRole('button', { name: texts.test }).click()
    await expect(card.getByRole('table', { name: texts.deliveries })).toContainText('unknown_host', {
      timeout: 30_000,
    })
    await expectAccessible(page)
    await card.getByRole('button', { name: texts.remove, exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: texts.remove, exact: true }).click()
    await expect(page.getByText(texts.gone)).toBeVisible()
    await expect(card).toHaveCount(0)
    expect(complaints).toEqual([])
  })
}
