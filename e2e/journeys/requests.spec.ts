import { readFile } from 'node:fs/promises'
import { expectAccessible } from './accessibility.ts'
import { getLocales, inBoth } from './locales.ts'
import { at, chooseAct, openSession, visit, watch } from './person.ts'
import { expect, test } from './test.ts'

const TEXTS = inBoth(
  {
    about: /^About/,
    asks: /^Request type/,
    note: /^Note/,
    why: /Reasons appear below/,
    held: /A legal hold protects/,
    refused: 'Refused',
  },
  {
    about: /^Sobre/,
    asks: /^Tipo de solicitação/,
    note: /^Nota/,
    why: /Os motivos aparecem abaixo/,
    held: /Uma retenção legal protege/,
    refused: 'Recusada',
  },
)

for (const locale of getLocales(import.meta.url))
  test(`an erasure request shows why data stays and is ended as refused (${locale})`, async ({ page }) => {
    const says = TEXTS[locale]
    const complaints = watch(page)
    await openSession(page, locale, 'acme', 'alice', at(locale, '/dashboard/governance/requests'))
    await expect(page.getByRole('row').filter({ hasText: 'João Almeida' })).toBeVisible()

    // Her page creates a request about her.
    await visit(page, at(locale, '/dashboard/devices/users/AC-1230'))
    await chooseAct(page, locale, says('Record a request'))
    const dialog = page.getByRole('dialog', { name: says('Record a request') })
    await expect(dialog.getByRole('textbox', { name: says.about })).toHaveValue('AC-1230')
    await dialog.getByRole('combobox', { name: says.asks }).selectOption('Erasure')
    await dialog.getByLabel(says.note).fill('By letter')
    await expectAccessible(page, { part: '[role=dialog]' })
    await dialog.getByRole('button', { name: says('Record'), exact: true }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'Nadia Volk' })).toBeVisible()
    // What is under the pointer now may have a tooltip, which is outside all landmarks.
    await page.mouse.move(0, 0)
    await expect(page.getByText(says.why)).toBeVisible()
    await expect(page.getByText(says.held).first()).toBeVisible()
    // A recording in upload has no due date yet, which is not "never".
    await expect(page.getByText(says('not known yet'), { exact: true }).first()).toBeVisible()
    await expect(page.getByText('By letter')).toBeVisible()
    await expect(
      page.getByRole('menuitem', { name: says('Create a copy'), includeHidden: true }),
    ).toHaveCount(0)
    await expectAccessible(page)

    const saving = page.waitForEvent('download')
    await chooseAct(page, locale, says('Save as JSON'))
    const saved = JSON.parse(await readFile(await (await saving).path(), 'utf8'))
    expect(saved.report.payloads.length).toBeGreaterThan(0)
    expect(saved.request.subject).toBe('AC-1230')

    await page.getByRole('button', { name: says('Close the request') }).click()
    const ending = page.getByRole('dialog')
    await ending.getByText(says.refused).click()
    await ending.getByRole('textbox').fill('A hold and the law keep it')
    await ending.getByRole('button', { name: says('Close the request') }).click()
    await expect(page.getByText(says('Request closed'))).toBeVisible()
    await expect(page.getByText('A hold and the law keep it')).toBeVisible()
    await expect(page.getByRole('button', { name: says('Close the request') })).toHaveCount(0)
    expect(complaints).toEqual([])
  })
