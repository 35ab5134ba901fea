import { expectAccessible } from './accessibility.ts'
import { getLocales, inBoth } from './locales.ts'
import { at, chooseAct, openSession, visit, watch } from './person.ts'
import { expect, test } from './test.ts'

const TEXTS = inBoth(
  {
    // Each language shortens another type: they share an account.
    type: 'Interview',
    refused: /Not before 1,?827 days: MiFID II, art\. 16\(7\)/,
    conditions: 'Conditions: Call',
    changed: /^Interview$/,
    nothing: 'Due records are deleted or destroyed',
    pause: 'Pause',
    resume: 'Resume',
    audit: 'saved the retention policy',
  },
  {
    type: 'Vídeo',
    refused: /Não antes de 1\.?827 dias: MiFID II, art\. 16\(7\)/,
    conditions: 'Condições: Chamada',
    changed: /^Vídeo$/,
    nothing: 'Registros vencidos são excluídos ou destruídos',
    pause: 'Suspender',
    resume: 'Retomar',
    audit: 'salvou a política de retenção',
  },
)

for (const locale of getLocales(import.meta.url)) {
  test(`a retention policy is shortened after a preview of the records due (${locale})`, async ({ page }) => {
    const says = TEXTS[locale]
    const complaints = watch(page)
    await openSession(page, locale, 'acme', 'alice', at(locale, '/dashboard/governance/retention'))
    const days = (type: string) => page.getByLabel(`${type}: ${says('Delete after')}`, { exact: true })
    const save = page.getByRole('button', { name: says('Save'), exact: true })
    await expect(days(says.type)).not.toHaveValue('')
    const unit = (type: string) => page.getByLabel(new RegExp(`^${type}: ${says('Delete after')}, `))
    const usual = await days(says.type).inputValue()
    const usualUnit = await unit(says.type).inputValue()

    // Pauses retention with a reason, so that the policies delete nothing.
    await chooseAct(page, locale, says.pause)
    const pausing = page.getByRole('dialog', { name: says('Pause retention?') })
    await expect(pausing).toBeVisible()
    await expectAccessible(page, { part: '[role=dialog]' })
    await pausing.getByRole('textbox').fill(`Trying policies (${locale})`)
    await pausing.getByRole('button', { name: says.pause, exact: true }).click()
    await expect(page.getByRole('alert', { name: says('Retention is paused') })).toContainText(
      `Trying policies (${locale})`,
    )

    await unit(says.type).selectOption('days')
    // Invalid input is rejected, never corrected: 0 means at once, and elsewhere -1 means never.
    for (const typed of ['-1', '1.5', '36526']) {
      await days(says.type).fill('')
      await days(says.type).pressSequentially(typed)
      await save.click()
      await expect(days(says.type)).toHaveValue(typed)
      await expect(days(says.type)).toHaveAttribute('aria-invalid', 'true')
    }
    await days(says.type).fill('1827')

    // The legal minimum of calls is shown with its basis and cannot be undercut.
    await unit(says('Call')).selectOption('days')
    await days(says('Call')).fill('100')
    await save.click()
    await expect(page.getByText(says.refused).first()).toBeVisible()
    await expect(days(says('Call'))).toHaveAttribute('aria-invalid', 'true')
    await page.getByRole('button', { name: says.conditions, exact: true }).focus()
    await page.keyboard.press('Enter')
    await expect(page.getByRole('textbox', { name: says('Legal basis') })).toHaveValue('MiFID II, art. 16(7)')
    await expectAccessible(page)
    await page.getByLabel(says('Start with a legal period')).selectOption({ index: 1 })
    await page.getByRole('button', { name: says('Fill in') }).click()
    await expect(days(says('Call'))).toHaveValue('7')
    await expect(unit(says('Call'))).toHaveValue('years')

    // A longer period is saved without a warning, after the preview.
    await save.click()
    const longer = page.getByRole('dialog', { name: says('Save the retention policy?') })
    await expect(longer.getByText(says.nothing)).toBeVisible()
    await expect(longer.getByLabel(says('Apply to existing records'))).toHaveCount(0)
    await longer.getByRole('button', { name: says('Save policy') }).click()
    await expect(page.getByText(says('Retention policy saved'))).toBeVisible()
    // The form shows the saved version.
    await expect(save).toBeDisabled()

    // A shorter period asks whether it applies to existing records, and shows the difference.
    await days(says.type).fill('0')
    await save.click()
    const asked = page.getByRole('dialog', { name: says('Shorten the retention?') })
    const due = asked.getByRole('table', { name: says('Due under this policy') })
    const ofType = due
      .getByRole('row')
      .filter({ hasText: says.type })
      .filter({ hasText: says('Deleted') })
    await expect(asked.getByText(says.nothing)).toBeVisible()
    await expect(ofType).toHaveCount(0)
    await asked.getByLabel(says('Apply to existing records')).check()
    await expect(ofType).toBeVisible()
    // What changes comes first.
    await expect(due.getByRole('row').nth(1)).toContainText(says.type)
    await expectAccessible(page, { part: '[role=dialog]' })
    await asked.getByLabel(says('Note')).fill(`As the board decided (${locale})`)
    await asked.getByRole('button', { name: says('Save policy') }).click()
    await expect(asked).toBeHidden()

    const versions = page.getByRole('table', { name: says('Policy versions') })
    const newest = versions.getByRole('row').nth(1)
    await expect(newest).toContainText(`As the board decided (${locale})`)
    await expect(newest.getByRole('cell', { name: says.changed })).toBeVisible()
    await expect(newest).toContainText(says('Yes'))
    await page.reload()
    await expect(days(says.type)).toHaveValue('0')
    // The forecast shows due records by month and type while retention is paused.
    const due_now = page
      .getByRole('table', { name: says('Deletion schedule') })
      .getByRole('row')
      .filter({ hasText: says.type })
    await expect(due_now.getByRole('cell').nth(0)).not.toHaveText('–')
    await page.getByRole('combobox', { name: says('Chart') }).selectOption(says.type)
    await expect(
      page.getByRole('img', { name: `${says('Recordings due by month')}: ${says.type}` }),
    ).toBeVisible()
    await expectAccessible(page)

    // Restores the policy before retention resumes: no recording is deleted.
    await days(says.type).fill(usual)
    await unit(says.type).selectOption(usualUnit)
    await save.click()
    await page
      .getByRole('dialog', { name: says('Save the retention policy?') })
      .getByRole('button', { name: says('Save policy') })
      .click()
    await expect(days(says.type)).toHaveValue(usual)
    await chooseAct(page, locale, says.resume)
    const resuming = page.getByRole('dialog', { name: says('Resume retention?') })
    await resuming.getByRole('textbox').fill('Tried')
    await resuming.getByRole('button', { name: says.resume, exact: true }).click()
    await expect(page.getByText(says('Retention is active'))).toBeVisible()

    // The audit log has the change and links back.
    await visit(page, at(locale, '/dashboard/account/audit?actions=account.retention%3Aupdate'))
    await expect(page.getByRole('row').filter({ hasText: says.audit }).first()).toBeVisible()
    // The rejected policy below the minimum.
    expect(
      complaints.filter((each) => !each.includes('account/retention/review') && !each.includes('MiFID II')),
    ).toEqual([])
  })

  test(`a reviewer without the permission has no retention page (${locale})`, async ({ page }) => {
    const says = TEXTS[locale]
    await openSession(page, locale, 'acme', 'bob', at(locale, '/dashboard'))
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await expect(page.getByRole('link', { name: says('Retention'), exact: true })).toHaveCount(0)
    await visit(page, at(locale, '/dashboard/governance/retention'))
    await expect(page.getByText('account.retention:read').first()).toBeVisible()
    await expect(page.getByLabel(new RegExp(says('Delete after')))).toHaveCount(0)
  })
}

for (const locale of getLocales(import.meta.url)) {
  test(`each page says why and when its recording goes, without a click (${locale})`, async ({ page }) => {
    const policy = locale === 'pt-BR' ? /^Política: .+, .+/ : /^.+ policy, .+/
    await openSession(page, locale, 'acme', 'alice')
    for (const service of ['calls', 'messages', 'interviews', 'photos', 'videos']) {
      await visit(page, at(locale, `/dashboard/services/${service}?states=Processed`))
      const address = await page.locator('[data-index="0"] a, a[data-index="0"]').first().getAttribute('href')
      await visit(page, address ?? '')
      await expect(page.getByRole('link', { name: policy }), service).toBeVisible()
    }
  })
}
