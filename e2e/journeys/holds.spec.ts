import { expectAccessible } from './accessibility.ts'
import { getLocales, inBoth } from './locales.ts'
import { at, openSession, visit, watch, clickCounter } from './person.ts'
import { expect, test } from './test.ts'

const TEXTS = inBoth(
  {
    isHeld: /^Harriet Cole is on hold: \d+ recordings? protected$/,
    asked: 'Release the legal hold of Harriet Cole?',
    next: 'for seven days',
    short: /at least 3/,
    released: 'Legal hold of Harriet Cole released',
    unknown: /Data not found/,
    audit: 'released the legal hold of Harriet Cole',
    placeHer: 'Place Beatriz Ramos on legal hold',
    heldBy: /^Held by Inquiry 7 · Deleted on .+ at the earliest.* · Call policy, /,
    isHeldFor: /^Beatriz Ramos is on hold for Inquiry 7: \d+ recordings? protected$/,
  },
  {
    isHeld: /^Harriet Cole está sob retenção legal: \d+ gravaç(ão|ões) protegidas?$/,
    asked: 'Liberar a retenção legal de Harriet Cole?',
    next: 'por sete dias',
    short: /pelo menos 3|ao menos 3|no mínimo 3/i,
    released: 'Retenção legal de Harriet Cole liberada',
    unknown: /Dados não encontrados/,
    audit: 'liberou a retenção legal de Harriet Cole',
    placeHer: 'Colocar Beatriz Ramos sob retenção legal',
    heldBy: /^Retida por Inquiry 7 · Exclusão a partir de .+ · Política: Chamada, /,
    isHeldFor: /^Beatriz Ramos está sob retenção legal no caso Inquiry 7: \d+ gravaç(ão|ões) protegidas?$/,
  },
)

/** The demo holds Nadia Volk, and has just released Oliver Grant. */
for (const locale of getLocales(import.meta.url)) {
  test(`a user is placed on legal hold, shown on recordings, and released for a reason (${locale})`, async ({
    page,
  }) => {
    const says = TEXTS[locale]
    const complaints = watch(page)
    const tab = at(locale, '/dashboard/governance/holds')
    const counter = clickCounter()
    const { click } = counter
    await openSession(page, locale, 'acme', 'alice')
    await click(page.getByRole('navigation').locator('a[href$="/governance/holds"]'))
    const row = (name: string) => page.getByRole('row').filter({ hasText: name })
    await expect(row('Nadia Volk')).toContainText(says('On hold'))
    await expect(row('Oliver Grant')).toContainText(says('Released, still protects'))

    await click(page.getByRole('link', { name: says('Place on legal hold') }))
    const dialog = page.getByRole('dialog', { name: says('Place on legal hold') })
    await expect(dialog).toBeVisible()
    await expectAccessible(page, { part: '[role=dialog]' })
    await dialog.getByLabel(says('Reason')).press('Enter')
    await expect(dialog.locator('[aria-invalid=true], [class*=error]').first()).toBeVisible()
    const person = dialog.getByRole('combobox', { name: says('Device user') })
    await person.fill('Harriet')
    await click(page.getByRole('option', { name: /Harriet Cole/ }))
    await dialog.getByLabel(says('Reason')).fill('Inquiry of the regulator')
    await click(dialog.getByRole('button', { name: says('Place on hold'), exact: true }))
    expect(counter.clicks).toBe(4)
    await expect(page.getByText(says.isHeld)).toBeVisible()
    await expect(row('Harriet Cole')).toContainText(says('On hold'))

    // Her recordings, page and device show the hold.
    await visit(page, at(locale, '/dashboard/services/calls?device_user_reference=AC-1042&is_held=true'))
    const calls = page.getByRole('row').filter({ has: page.getByRole('gridcell') })
    await expect(calls.first()).toContainText(says('On hold'))
    await calls.first().getByRole('link').first().click()
    await expect(page.locator('main').getByText(says('On hold'), { exact: true }).first()).toBeVisible()
    await visit(page, at(locale, '/dashboard/devices/users?is_held=true'))
    await expect(row('Harriet Cole')).toContainText(says('On hold'))
    await expect(row('Imran Shah')).toHaveCount(0)
    await visit(page, at(locale, '/dashboard/devices?is_held=true'))
    // Another journey may have assigned her another device.
    await expect(row('Harriet Cole').first()).toContainText(says('On hold'))

    // The release dialog explains the effect and asks for a reason.
    await page.goto(`${tab}?preview=${encodeURIComponent('DeviceUser/AC-1042')}`)
    await page.getByRole('button', { name: says('Release'), exact: true }).click()
    const asked = page.getByRole('dialog', { name: says.asked })
    await expect(asked).toContainText(says.next)
    await expectAccessible(page, { part: '[role=dialog]' })
    await asked.getByRole('button', { name: says('Release') }).click()
    await expect(asked.getByRole('textbox')).toHaveAttribute('aria-invalid', 'true')
    await asked.getByRole('textbox').fill('The inquiry is over')
    await asked.getByRole('button', { name: says('Release') }).click()
    await expect(page.getByText(says.released)).toBeVisible()
    await expect(row('Harriet Cole')).toContainText(says('Released, still protects'))
    await expect(page.getByText(says('Reason for release')).first()).toBeVisible()
    await expect(page.getByText('The inquiry is over').first()).toBeVisible()
    await expectAccessible(page)

    // The audit log shows the release without the reason, and links back.
    await visit(page, at(locale, '/dashboard/account/audit?actions=account.legal_holds%3Adelete'))
    await expect(row(says.audit).first()).toBeVisible()
    await expect(page.getByText('The inquiry is over')).toHaveCount(0)

    // From a recording, for a matter that the same dialog opens: two clicks and the name.
    await visit(page, at(locale, '/dashboard/services/calls?device_user_reference=AC-1124&states=Processed'))
    await calls.first().getByRole('link').first().click()
    await page.getByRole('button', { name: says('Place on legal hold') }).click()
    const naming = page.getByRole('dialog', { name: says.placeHer })
    await expect(naming.getByRole('combobox', { name: says('Legal matter') })).toBeFocused()
    await page.keyboard.type('Inquiry 7')
    await naming.getByLabel(says('Reason')).fill('Letter of the regulator')
    await naming.getByRole('button', { name: says('Place on hold'), exact: true }).click()
    await expect(page.getByText(says.isHeldFor)).toBeVisible()
    // The line under the title says why it is kept, and until when: no click.
    await expect(page.getByText(says.heldBy)).toBeVisible()
    await visit(page, at(locale, '/dashboard/governance/matters'))
    await row('Inquiry 7').getByRole('link').first().click()
    await expect(page.getByText('Letter of the regulator')).toBeVisible()
    await expect(row('Beatriz Ramos')).toBeVisible()
    expect(complaints).toEqual([])
  })

  test(`a reviewer without the permission sees no legal hold tab or filter (${locale})`, async ({ page }) => {
    const says = TEXTS[locale]
    await openSession(page, locale, 'acme', 'bob', at(locale, '/dashboard/governance/holds'))
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await expect(page.getByText('Nadia Volk')).toHaveCount(0)
    await visit(page, at(locale, '/dashboard/services/calls'))
    await page.getByRole('button', { name: says('More filters') }).click()
    await expect(page.getByText(says('On legal hold only'))).toHaveCount(0)
  })
}
