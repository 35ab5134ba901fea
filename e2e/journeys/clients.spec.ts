import { openDatabase } from '../../apps/server/src/ports/database/pool.ts'
import { signIn } from '../../apps/server/src/testing/access-fixture.ts'
import { DEVICE_SERVICES, type LicenseLimits, PROBLEMS } from '../../packages/contract/src/index.ts'
import { expectAccessible } from './accessibility.ts'
import { getLocales, inBoth } from './locales.ts'
import { at, openSession } from './person.ts'
import { expect, type Page, test } from './test.ts'

const TEXTS = inBoth(
  {
    name: /^Name/,
    shortName: /^Short name/,
    administrator: /^First administrator/,
    done: 'Done',
    more: (name: string) => `More actions for ${name}`,
    resumeIt: 'Resume',
    reason: /^Reason/,
  },
  {
    name: /^Nome(?! curto)/,
    shortName: /^Nome curto/,
    administrator: /^Primeiro administrador/,
    done: 'Concluir',
    more: (name: string) => `Mais ações para ${name}`,
    resumeIt: 'Reativar',
    reason: /^Motivo/,
  },
)

for (const locale of getLocales(import.meta.url)) {
  test(`${locale}: the provider creates a client, and suspends and resumes one`, async ({ browser }) => {
    const texts = TEXTS[locale]
    // Both languages may run on one demo.
    const [name, client] = [`Initech ${locale}`, `initech-${locale.toLowerCase()}`]
    const dave = await (await browser.newContext()).newPage()
    await openSession(dave, locale, 'admin', 'dave')
    const gina = await (await browser.newContext()).newPage()
    await openSession(gina, locale, 'globex', 'gina', null)

    await dave.getByRole('button', { name: texts('Create a client') }).click()
    const drawer = dave.getByRole('dialog', { name: texts('Create a client') })
    await drawer.getByLabel(texts.name).fill(name)
    await drawer.getByLabel(texts.shortName).fill('globex')
    await drawer.getByLabel(texts.administrator).fill('peter@initech.example')
    await expectAccessible(dave, { part: '[role=dialog]' })
    await drawer.getByRole('button', { name: texts('Create'), exact: true }).click()
    // The name is taken: the field shows the error.
    await expect(drawer.getByLabel(texts.shortName)).toHaveAttribute('aria-invalid', 'true')
    await drawer.getByLabel(texts.shortName).fill(client)
    await drawer.getByRole('button', { name: texts('Create'), exact: true }).click()
    const created = dave.getByRole('dialog', { name })
    await expect(created.getByLabel(texts('First device enrolment'), { exact: true })).toContainText(
      `"account_reference":"${client}"`,
    )
    const key = (await created.getByLabel(texts('Account key'), { exact: true }).textContent()) ?? ''
    expect(key).toMatch(/^[\w+/]{43}=$/)
    await expectAccessible(dave, { part: '[role=dialog]' })
    await created.getByRole('button', { name: texts.done }).click()
    await expect(dave.getByRole('row').filter({ hasText: name })).toBeVisible()
    await dave.reload()
    await expect(dave.getByRole('row').filter({ hasText: name })).toBeVisible()
    await expect(dave.getByText(key)).toHaveCount(0)

    const menu = dave.getByRole('button', { name: texts.more('Globex Brokers') })
    await menu.click()
    await dave.getByRole('menuitem', { name: texts('Suspend…') }).click()
    const suspend = dave.getByRole('dialog')
    await suspend.getByLabel(texts.reason).fill('The contract has ended')
    await suspend.getByRole('button', { name: texts('Suspend'), exact: true }).click()
    const row = dave.getByRole('row').filter({ hasText: 'Globex' })
    await expect(row.getByText(texts('Suspended'))).toBeVisible()
    await expect(row).toContainText('The contract has ended')
    await expectAccessible(dave)

    await gina.goto(at(locale, '/dashboard/services/calls'))
    await gina.waitForURL(/\/sign-in/)
    await gina.goto(at(locale, '/sign-in?client=globex'))
    await gina.getByRole('button', { name: texts('Continue') }).click()
    await expect(gina.getByText(PROBLEMS.account_suspended[locale])).toBeVisible()

    await menu.click()
    await dave.getByRole('menuitem', { name: texts('Resume…') }).click()
    await dave.getByRole('dialog').getByRole('button', { name: texts.resumeIt, exact: true }).click()
    await menu.click()
    await expect(dave.getByRole('menuitem', { name: texts('Suspend…') })).toBeVisible()
    await gina.getByRole('button', { name: texts('Continue') }).click()
    await gina.waitForURL(/\/oidc\//)
  })

  test(`${locale}: two people of the provider delete a client, and keep its certificate`, async ({
    copy,
    browser,
  }) => {
    const texts = TEXTS[locale]
    const [name, client] = [`Umbrella ${locale}`, `umbrella-${locale.toLowerCase()}`]
    const db = await openDatabase({ connection: copy.connection, appName: 'journey' })
    await db.owner.query(
      `update oidc_people set roles = '{Provider Administrator}' where client = 'admin' and user_reference = 'erin'`,
    )
    await db.close()
    const { api } = await signIn(copy.url, 'admin', 'dave')
    const limits = Object.fromEntries(DEVICE_SERVICES.map((service) => [service, 0])) as LicenseLimits
    const account = { client, client_name: name, limits, identity: null, first_administrator: 'albert' }
    await api.createClient({ body: account })
    await api.suspendClient({ params: { client }, body: { reason: 'The contract has ended' } })
    const [dave, erin] = [
      await (await browser.newContext()).newPage(),
      await (await browser.newContext()).newPage(),
    ]
    await openSession(dave, locale, 'admin', 'dave')
    const offers = async (page: Page, act: string) => {
      const menu = page.getByRole('button', { name: texts.more(name) })
      if ((await menu.getAttribute('aria-expanded')) !== 'true') await menu.click()
      await expect(page.getByRole('menuitem', { name: act })).toBeVisible()
    }
    const press = async (page: Page, act: string, answer: string) => {
      await offers(page, act)
      await page.getByRole('menuitem', { name: act }).click()
      const dialog = page.getByRole('dialog')
      await expect(dialog).toContainText(name)
      await expectAccessible(page, { part: '[role=dialog]' })
      await dialog.getByRole('button', { name: answer, exact: true }).click()
    }
    await press(dave, texts('Delete…'), texts('Propose deletion'))
    await offers(dave, texts('Withdraw deletion…'))
    await expect(dave.getByRole('menuitem', { name: texts('Confirm deletion…') })).toHaveCount(0)
    await openSession(erin, locale, 'admin', 'erin')
    await press(erin, texts('Withdraw deletion…'), texts('Withdraw'))
    await offers(erin, texts('Delete…'))

    await press(erin, texts('Delete…'), texts('Propose deletion'))
    await dave.reload()
    await press(dave, texts('Confirm deletion…'), texts('Delete'))
    const deleted = dave.getByRole('dialog')
    await expect(deleted.getByLabel(texts('Certificate'), { exact: true })).toContainText(
      '"deleted_by": "dave (provider)"',
    )
    await expectAccessible(dave, { part: '[role=dialog]' })
    await deleted.getByRole('button', { name: texts.done }).click()
    await expect(dave.getByRole('row').filter({ hasText: name })).toHaveCount(0)
  })
}
