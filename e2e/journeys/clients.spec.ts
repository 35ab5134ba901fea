import { PROBLEMS } from '../../packages/contract/src/index.ts'
import { expectAccessible } from './accessibility.ts'
import { localesOf } from './locales.ts'
import { at, openSession } from './person.ts'
import { expect, test } from './test.ts'

const TEXTS = {
  'en-GB': {
    create: 'Create a client',
    name: /^Name/,
    shortName: /^Short name/,
    administrator: /^First administrator/,
    save: 'Create',
    key: 'Account key',
    enrolment: 'Enrolment of the first device',
    done: 'Done',
    suspend: 'Suspend Globex',
    suspendIt: 'Suspend',
    resume: 'Resume Globex',
    resumeIt: 'Resume',
    reason: /^Reason/,
    suspended: 'Suspended',
    continue: 'Continue',
  },
  'pt-BR': {
    create: 'Criar cliente',
    name: /^Nome(?! curto)/,
    shortName: /^Nome curto/,
    administrator: /^Primeiro administrador/,
    save: 'Criar',
    key: 'Chave da conta',
    enrolment: 'Cadastro do primeiro dispositivo',
    done: 'Concluir',
    suspend: 'Suspender Globex',
    suspendIt: 'Suspender',
    resume: 'Reativar Globex',
    resumeIt: 'Reativar',
    reason: /^Motivo/,
    suspended: 'Suspenso',
    continue: 'Continuar',
  },
} as const

for (const locale of localesOf(import.meta.url)) {
  test(`${locale}: the provider creates a client, and suspends and resumes one`, async ({ browser }) => {
    const texts = TEXTS[locale]
    // Both languages may run on one demo.
    const [name, client] = [`Initech ${locale}`, `initech-${locale.toLowerCase()}`]
    const dave = await (await browser.newContext()).newPage()
    await openSession(dave, locale, 'admin', 'dave')
    const gina = await (await browser.newContext()).newPage()
    await openSession(gina, locale, 'globex', 'gina')

    await dave.goto(at(locale, '/internal'))
    await dave.getByRole('button', { name: texts.create }).click()
    const drawer = dave.getByRole('dialog', { name: texts.create })
    await drawer.getByLabel(texts.name).fill(name)
    await drawer.getByLabel(texts.shortName).fill('globex')
    await drawer.getByLabel(texts.administrator).fill('peter@initech.example')
    await expectAccessible(dave)
    await drawer.getByRole('button', { name: texts.save, exact: true }).click()
    // The name is taken: the field shows the error.
    await expect(drawer.getByLabel(texts.shortName)).toHaveAttribute('aria-invalid', 'true')
    await drawer.getByLabel(texts.shortName).fill(client)
    await drawer.getByRole('button', { name: texts.save, exact: true }).click()
    const created = dave.getByRole('dialog', { name })
    await expect(created.getByLabel(texts.enrolment, { exact: true })).toContainText(
      `"account_reference":"${client}"`,
    )
    const key = (await created.getByLabel(texts.key, { exact: true }).textContent()) ?? ''
    expect(key).toMatch(/^[\w+/]{43}=$/)
    await expectAccessible(dave)
    await created.getByRole('button', { name: texts.done }).click()
    await expect(dave.getByRole('row').filter({ hasText: name })).toBeVisible()
    await dave.reload()
    await expect(dave.getByRole('row').filter({ hasText: name })).toBeVisible()
    await expect(dave.getByText(key)).toHaveCount(0)

    await dave.getByRole('button', { name: texts.suspend }).click()
    const suspend = dave.getByRole('dialog')
    await suspend.getByLabel(texts.reason).fill('The contract has ended')
    await suspend.getByRole('button', { name: texts.suspendIt, exact: true }).click()
    const row = dave.getByRole('row').filter({ hasText: 'Globex' })
    await expect(row.getByText(texts.suspended)).toBeVisible()
    await expect(row).toContainText('The contract has ended')
    await expectAccessible(dave)

    await gina.goto(at(locale, '/dashboard/services/calls'))
    await gina.waitForURL(/\/sign-in/)
    await gina.goto(at(locale, '/sign-in?client=globex'))
    await gina.getByRole('button', { name: texts.continue }).click()
    await expect(gina.getByText(PROBLEMS.account_suspended[locale])).toBeVisible()

    await dave.getByRole('button', { name: texts.resume }).click()
    await dave.getByRole('dialog').getByRole('button', { name: texts.resumeIt, exact: true }).click()
    await expect(dave.getByRole('button', { name: texts.suspend })).toBeVisible()
    await gina.getByRole('button', { name: texts.continue }).click()
    await gina.waitForURL(/\/oidc\//)
  })
}
