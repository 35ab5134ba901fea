import { type Browser, expect, type Page, test } from './test.ts'
import { expectAccessible } from './accessibility.ts'
import { localesOf } from './locales.ts'
import { at, type Locale, openSession, watch } from './person.ts'

const TEXTS = {
  'en-GB': {
    ask: 'Ask for a second person',
    propose: 'Propose',
    proposed: /^Proposed\. Nothing has changed yet/,
    one: 'Let one person decide',
    required: 'Two people decide',
    exclusively: 'One person decides',
    what: { on: 'Ask for a second person from now on', off: 'No longer ask for a second person' },
    release: (who: string) => `Release ${who}`,
    releaseIt: 'Release',
    confirm: 'Confirm',
    reject: 'Reject',
    withdraw: 'Withdraw',
    done: 'Confirmed and done',
    mine: 'You proposed this: somebody else decides about it.',
    rejected: 'The proposal is rejected',
    keeps: 'Released, still keeps',
    held: 'Held now',
    before: 'Held before',
    hold: 'Hold somebody',
    holdIt: 'Hold',
    portalUser: 'Portal user',
    who: /^Portal user/,
  },
  'pt-BR': {
    ask: 'Pedir uma segunda pessoa',
    propose: 'Propor',
    proposed: /^Proposto\. Nada mudou ainda/,
    one: 'Deixar uma pessoa decidir',
    required: 'Duas pessoas decidem',
    exclusively: 'Uma pessoa decide',
    what: { on: 'Pedir uma segunda pessoa de agora em diante', off: 'Não pedir mais uma segunda pessoa' },
    release: (who: string) => `Liberar ${who}`,
    releaseIt: 'Liberar',
    confirm: 'Confirmar',
    reject: 'Rejeitar',
    withdraw: 'Retirar',
    done: 'Confirmado e feito',
    mine: 'Você propôs isto: outra pessoa decide.',
    rejected: 'A proposta foi rejeitada',
    keeps: 'Liberada, ainda preserva',
    held: 'Preservação atual',
    before: 'Preservação anterior',
    hold: 'Preservar alguém',
    holdIt: 'Preservar',
    portalUser: 'Usuário do portal',
    who: /^Usuário do portal/,
  },
} as const

/** A user in a browser context of their own. */
async function join(browser: Browser, locale: Locale, user: string): Promise<Page> {
  const page = await (await browser.newContext({ locale })).newPage()
  await openSession(page, locale, 'acme', user)
  return page
}

for (const locale of localesOf(import.meta.url))
  test(`a legal hold is released by two people (${locale})`, async ({ page, browser }) => {
    const says = TEXTS[locale]
    const complaints = watch(page)
    const target = `decided.by.two.${locale.toLowerCase()}@acme.example`
    const proposals = at(locale, '/dashboard/services?tab=proposals')
    const ines = await join(browser, locale, 'ines')
    const result = watch(ines)
    await openSession(page, locale, 'acme', 'alice')

    /** The second person opens and confirms the proposal. */
    const confirm = async (what: string) => {
      await ines.goto(`${proposals}&state=waiting`)
      await ines.getByRole('row').filter({ hasText: what }).first().click()
      await ines.getByRole('button', { name: says.confirm, exact: true }).click()
      await ines.getByRole('dialog').last().getByRole('button', { name: says.confirm, exact: true }).click()
      await expect(ines.getByText(says.done)).toBeVisible()
    }

    await page.goto(proposals)
    await expect(page.getByText(says.exclusively)).toBeVisible()
    await expectAccessible(page)
    await page.getByRole('button', { name: says.ask, exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: says.propose }).click()
    await expect(page.getByText(says.proposed)).toBeVisible()
    await expect(page.getByText(says.exclusively)).toBeVisible()
    // The proposer can only withdraw it.
    await page.getByRole('row').filter({ hasText: says.what.on }).first().click()
    await expect(page.getByText(says.mine)).toBeVisible()
    await expect(page.getByRole('button', { name: says.confirm, exact: true })).toHaveCount(0)
    await expectAccessible(page)
    await confirm(says.what.on)
    try {
      await page.goto(at(locale, '/dashboard/services?tab=holds'))
      await page.getByRole('link', { name: says.hold }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByText(says.portalUser, { exact: true }).click()
      await dialog.getByRole('textbox', { name: says.who }).fill(target)
      await dialog.getByRole('button', { name: says.holdIt, exact: true }).click()
      await expect(dialog).toHaveCount(0)
      const propose = async () => {
        await page.goto(at(locale, `/dashboard/services?tab=holds&preview=PortalUser%2F${target}`))
        await page.getByRole('button', { name: says.releaseIt, exact: true }).click()
        await page.getByRole('dialog').last().getByRole('textbox').fill('The inquiry is over')
        await page.getByRole('dialog').last().getByRole('button', { name: says.releaseIt }).click()
        await expect(page.getByText(says.proposed)).toBeVisible()
        await expect(page.getByText(says.held)).toBeVisible()
      }
      await propose()
      await ines.goto(`${proposals}&state=waiting`)
      await ines
        .getByRole('row')
        .filter({ hasText: says.release(target) })
        .click()
      await expect(ines.getByText('The inquiry is over')).toBeVisible()
      await expectAccessible(ines)
      await ines.getByRole('button', { name: says.reject, exact: true }).click()
      await ines.getByRole('dialog').last().getByRole('textbox').fill('It is not over')
      await ines.getByRole('dialog').last().getByRole('button', { name: says.reject }).click()
      await expect(ines.getByText(says.rejected)).toBeVisible()
      await propose()
      await confirm(says.release(target))
      await page.reload()
      await expect(page.getByText(says.before)).toBeVisible()
      await expect(page.getByText(/alice \+ ines/)).toBeVisible()
    } finally {
      // Restores the setting: later journeys release holds.
      await page.goto(proposals)
      await page.getByRole('button', { name: says.one, exact: true }).click()
      await page.getByRole('dialog').getByRole('button', { name: says.propose }).click()
      await expect(page.getByText(says.proposed)).toBeVisible()
      await confirm(says.what.off)
    }
    await page.goto(proposals)
    await expect(page.getByText(says.exclusively)).toBeVisible()
    expect([...complaints, ...result]).toEqual([])
    await ines.context().close()
  })
