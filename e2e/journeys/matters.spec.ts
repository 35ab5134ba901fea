import { expectAccessible } from './accessibility.ts'
import { getLocales, inBoth } from './locales.ts'
import { at, openSession, visit, watch, WORDS } from './person.ts'
import { expect, test } from './test.ts'

const TEXTS = inBoth(
  {
    name: /^Name/,
    reason: /^Reason/,
    save: 'Open',
    names: /^Names/,
    references: /^References/,
    isHeld: '2 people placed on hold',
    matching: /^Select all \d+ matching$/,
    oneHeld: '1 person placed on hold',
    unknown: /This device user does not exist/,
    dismiss: 'Close',
    byMatter: /A matter holds this person/,
    out: /removed from the matter/,
    closed: / closed$/,
    exported: /recordings of the people in this matter/,
  },
  {
    name: /^Nome/,
    reason: /^Motivo/,
    save: 'Abrir',
    names: /^Nomes/,
    references: /^Referências/,
    isHeld: '2 pessoas colocadas sob retenção',
    matching: /^Selecionar todos os \d+ correspondentes$/,
    oneHeld: '1 pessoa colocada sob retenção',
    unknown: /Este usuário de dispositivo não existe/,
    dismiss: 'Fechar',
    byMatter: /Um caso mantém esta pessoa/,
    out: /removido do caso/,
    closed: / encerrado$/,
    exported: /gravações das pessoas deste caso/,
  },
)

const CALLER = 'Beatriz Ramos'

for (const locale of getLocales(import.meta.url))
  test(`people are placed on hold for a legal matter and released together (${locale})`, async ({ page }) => {
    const says = TEXTS[locale]
    const complaints = watch(page)
    const people = ['one', 'two'].map((each) => `${each}.${locale.toLowerCase()}@acme.example`)
    const name = `Inquiry ${locale}`
    await openSession(page, locale, 'acme', 'alice', at(locale, '/dashboard/governance/matters'))
    await expect(page.getByRole('row').filter({ hasText: 'Orders of September' })).toBeVisible()

    await page.getByRole('link', { name: says('Open a matter') }).focus()
    await page.keyboard.press('Enter')
    const opening = page.getByRole('dialog', { name: says('Open a matter') })
    await opening.getByLabel(says.name).fill(name)
    await opening.getByLabel(says.reason).fill('Letter of the regulator')
    await opening.getByRole('button', { name: says.save, exact: true }).click()
    await expect(page.getByRole('heading', { level: 1, name })).toBeVisible()
    await expect(page.getByText(says('No people on hold yet'))).toBeVisible()
    await expect(page.getByText('Letter of the regulator')).toBeVisible()
    await expectAccessible(page)

    await page.getByRole('button', { name: says('Place on legal hold'), exact: true }).click()
    const adding = page.getByRole('dialog')
    // A name becomes a reference of the list.
    const references = adding.getByRole('textbox', { name: says.references })
    const user = adding.getByRole('combobox', { name: says('Device user') })
    await expect(user).toBeFocused()
    await user.fill(CALLER)
    await expect(page.getByRole('option', { name: CALLER })).toHaveCount(1)
    await user.press('Enter')
    await expect(references).toHaveValue('AC-1124')
    await expect(references).toBeFocused()
    // An unknown person is reported, and does not block the others.
    await references.fill('No Such Person')
    await adding.getByRole('button', { name: says('Place on hold'), exact: true }).click()
    await expect(adding.getByText(says.unknown)).toBeVisible()
    await adding.getByText(says('Portal users'), { exact: true }).click()
    await adding.getByRole('textbox', { name: says.names }).fill(people.join('\n'))
    await expectAccessible(page, { part: '[role=dialog]' })
    await adding.getByRole('button', { name: says('Place on hold'), exact: true }).click()
    await expect(page.getByText(says.isHeld)).toBeVisible()
    await expect(adding).toHaveCount(0)
    const row = (text: string) => page.getByRole('row').filter({ hasText: text })
    await expect(row(people[0] ?? '')).toBeVisible()
    await expectAccessible(page)

    // The person of all recordings that match a filter: four clicks and the name of the matter.
    const matter = page.url()
    await visit(page, at(locale, `/dashboard/services/calls?device_user_reference=AC-1124`))
    const callRow = page.locator('[role=row][data-index="0"]')
    const dialog = page.getByRole('dialog')
    await callRow.getByRole('checkbox').click()
    // One recording: the dialog names its person.
    await page.getByRole('button', { name: says('Place on legal hold…') }).click()
    await expect(dialog).toContainText(CALLER)
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: says.matching }).click()
    await page.getByRole('button', { name: says('Place on legal hold…') }).click()
    await dialog.getByRole('combobox', { name: says('Legal matter') }).fill(name)
    await expectAccessible(page, { part: '[role=dialog]' })
    await dialog.getByRole('button', { name: says('Place on hold'), exact: true }).click()
    await expect(page.getByText(says.oneHeld).filter({ hasText: name })).toBeVisible()
    // All device users that match, and the holder of a chosen device.
    for (const list of ['/users?search=Imran', '?search=Molly']) {
      await visit(page, at(locale, `/dashboard/devices${list}`))
      await page.getByRole('columnheader').getByRole('checkbox').click()
      await page.getByRole('button', { name: says('Place on legal hold…') }).click()
      await dialog.getByRole('combobox', { name: says('Legal matter') }).fill(name)
      await expectAccessible(page, { part: '[role=dialog]' })
      await dialog.getByRole('button', { name: says('Place on hold'), exact: true }).click()
      await expect(dialog).toHaveCount(0)
      // The notice of the former list may still show.
      await expect(page.getByText(says.oneHeld).filter({ hasText: name }).last()).toBeVisible()
    }
    await page.goto(matter)
    for (const each of [CALLER, 'Imran Shah', 'Molly Pearce']) await expect(row(each)).toBeVisible()
    // Their recordings leave as one export.
    await page.getByRole('button', { name: says('Export with data') }).click()
    await expect(page.getByRole('dialog').getByText(says.exported)).toBeVisible()
    await page.keyboard.press('Escape')

    // A person in a matter cannot be released alone.
    await row(people[0] ?? '')
      .getByRole('link')
      .click()
    await expect(page.getByText(says.byMatter)).toBeVisible()
    await page.goBack()

    await row(people[0] ?? '')
      .getByRole('button', { name: says('Remove') })
      .click()
    await page.getByRole('dialog').getByRole('textbox').fill('Not concerned')
    await page
      .getByRole('dialog')
      .getByRole('button', { name: says('Remove') })
      .click()
    await expect(page.getByText(says.out)).toBeVisible()
    // The page's menu by keyboard.
    const close = page.getByRole('menuitem', { name: says('Close the matter'), exact: true })
    await page.getByRole('button', { name: WORDS[locale].acts }).press('Enter')
    await expect(close).toBeVisible()
    await expect(async () => {
      await page.keyboard.press('ArrowDown')
      await expect(close).toBeFocused({ timeout: 300 })
    }).toPass()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').getByRole('textbox').fill('The inquiry is over')
    await page
      .getByRole('dialog')
      .getByRole('button', { name: says('Close the matter') })
      .click()
    await expect(page.getByText(says.closed)).toBeVisible()
    await expect(page.getByText('The inquiry is over')).toBeVisible()
    await expect(page.getByRole('button', { name: says('Place on legal hold'), exact: true })).toHaveCount(0)
    await visit(page, at(locale, `/dashboard/governance/holds?search=${locale.toLowerCase()}%40`))
    for (const each of people) await expect(row(each)).toContainText(says('Released, still protects'))
    expect(complaints).toEqual([])
  })
