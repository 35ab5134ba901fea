import AxeBuilder from '@axe-core/playwright'
import { expect, test } from '@playwright/test'
import { at, type Locale, openSession, watch } from './person.ts'

const TEXTS = {
  'en-GB': {
    // Each language shortens another type: they share an account.
    type: 'Interview',
    call: 'Call',
    delete: 'Delete after days',
    tables: 'Retention of recordings',
    save: 'Save',
    refused: /Not before 1,?827 days: MiFID II, art\. 16\(7\)/,
    conditions: 'Conditions: Call',
    basis: 'Legal basis',
    template: 'Begin with the period of a rule',
    fill: 'Fill in',
    shorten: 'Shorten the retention?',
    lengthen: 'Save the retention policy?',
    kept: 'Also for what is kept already',
    due: 'Recordings that would be due',
    note: 'Note',
    act: 'Save policy',
    saved: 'Retention policy saved',
    versions: 'Versions of the policy',
    yes: 'Yes',
    changed: /^Interview$/,
    nothing: 'Saving deletes nothing',
    audit: 'saved the retention policy',
    tab: 'Retention',
  },
  'pt-BR': {
    type: 'Vídeo',
    call: 'Chamada',
    delete: 'Excluir após dias',
    tables: 'Retenção das gravações',
    save: 'Salvar',
    refused: /Não antes de 1\.?827 dias: MiFID II, art\. 16\(7\)/,
    conditions: 'Condições: Chamada',
    basis: 'Base legal',
    template: 'Começar com o prazo de uma regra',
    fill: 'Preencher',
    shorten: 'Encurtar a retenção?',
    lengthen: 'Salvar a política de retenção?',
    kept: 'Também para o que já está guardado',
    due: 'Gravações que venceriam',
    note: 'Nota',
    act: 'Salvar política',
    saved: 'Política de retenção salva',
    versions: 'Versões da política',
    yes: 'Sim',
    changed: /^Vídeo$/,
    nothing: 'Salvar não exclui nada',
    audit: 'salvou a política de retenção',
    tab: 'Retenção',
  },
} as const

for (const locale of ['en-GB', 'pt-BR'] as const satisfies Locale[]) {
  test(`a policy is shortened after it said what it would make due (${locale})`, async ({ page }) => {
    test.setTimeout(180_000)
    const says = TEXTS[locale]
    const complaints = watch(page)
    const isClean = async () => {
      const { violations } = await new AxeBuilder({ page }).analyze()
      expect(violations.map(({ id, nodes }) => [id, nodes[0]?.html])).toEqual([])
    }
    await openSession(page, locale, 'acme', 'alice')
    await page.goto(at(locale, '/dashboard/services?tab=retention'))
    const days = (type: string) => page.getByLabel(`${type}: ${says.delete}`, { exact: true })
    const save = page.getByRole('button', { name: says.save, exact: true })
    await expect(days(says.type)).not.toHaveValue('')
    await isClean()

    // What the law asks for of calls stands, with its basis, and no policy goes below it.
    await days(says.call).fill('100')
    await save.click()
    await expect(page.getByText(says.refused).first()).toBeVisible()
    await expect(days(says.call)).toHaveAttribute('aria-invalid', 'true')
    await page.getByRole('button', { name: says.conditions, exact: true }).focus()
    await page.keyboard.press('Enter')
    await expect(page.getByRole('textbox', { name: says.basis })).toHaveValue('MiFID II, art. 16(7)')
    await isClean()
    await page.getByLabel(says.template).selectOption({ index: 1 })
    await page.getByRole('button', { name: says.fill }).click()
    await expect(days(says.call)).toHaveValue('2557')

    // Longer is saved without a warning, once somebody has seen what it would make due.
    await save.click()
    const longer = page.getByRole('dialog', { name: says.lengthen })
    await expect(longer.getByText(says.nothing)).toBeVisible()
    await expect(longer.getByLabel(says.kept)).toHaveCount(0)
    await longer.getByRole('button', { name: says.act }).click()
    await expect(page.getByText(says.saved)).toBeVisible()

    // Shorter asks whether it concerns what is kept, and tells the difference.
    await days(says.type).fill('0')
    await save.click()
    const asked = page.getByRole('dialog', { name: says.shorten })
    const due = asked.getByRole('table', { name: says.due })
    const ofType = due.getByRole('row').filter({ hasText: says.type })
    await expect(asked.getByText(says.nothing)).toBeVisible()
    await expect(ofType).toHaveCount(0)
    await isClean()
    await asked.getByLabel(says.kept).check()
    await expect(ofType).toBeVisible()
    await isClean()
    await asked.getByLabel(says.note).fill(`As the board decided (${locale})`)
    await asked.getByRole('button', { name: says.act }).click()
    await expect(asked).toBeHidden()

    const versions = page.getByRole('table', { name: says.versions })
    const newest = versions.getByRole('row').nth(1)
    await expect(newest).toContainText(`As the board decided (${locale})`)
    await expect(newest.getByRole('cell', { name: says.changed })).toBeVisible()
    await expect(newest).toContainText(says.yes)
    await page.reload()
    await expect(days(says.type)).toHaveValue('0')
    await isClean()

    // The log tells of it, and leads back.
    await page.goto(at(locale, '/dashboard/account/audit?actions=account.retention%3Aupdate'))
    await expect(page.getByRole('row').filter({ hasText: says.audit }).first()).toBeVisible()
    // The policy below the minimum was refused.
    expect(
      complaints.filter((each) => !each.includes('account/retention/review') && !each.includes('MiFID II')),
    ).toEqual([])
  })

  test(`who may not see the policy has no tab of it (${locale})`, async ({ page }) => {
    const says = TEXTS[locale]
    await openSession(page, locale, 'acme', 'bob')
    await page.goto(at(locale, '/dashboard/services'))
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await expect(page.getByRole('link', { name: says.tab, exact: true })).toHaveCount(0)
    await page.goto(at(locale, '/dashboard/services?tab=retention'))
    await expect(page.getByText('account.retention:read').first()).toBeVisible()
    await expect(page.getByLabel(new RegExp(says.delete))).toHaveCount(0)
  })
}
