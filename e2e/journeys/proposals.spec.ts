import { expectAccessible } from './accessibility.ts'
import { getLocales, inBoth } from './locales.ts'
import { at, type Locale, openSession, visit, watch } from './person.ts'
import { type Browser, expect, type Page, test } from './test.ts'

const TEXTS = inBoth(
  {
    proposed: /^Proposed\. Takes effect/,
    what: { on: 'Require dual control', off: 'Remove dual control' },
    release: (who: string) => `Release the legal hold of ${who}`,
    who: /^Portal user/,
    transfer: 'Transfer by the configuration customer-archive',
  },
  {
    proposed: /^Proposta registrada\. Vale/,
    what: { on: 'Exigir dupla aprovação', off: 'Remover dupla aprovação' },
    release: (who: string) => `Liberar a retenção legal de ${who}`,
    who: /^Usuário do portal/,
    transfer: 'Transferir pela configuração customer-archive',
  },
)

/** A user in a browser context of their own. */
async function join(browser: Browser, locale: Locale, user: string): Promise<Page> {
  const page = await (await browser.newContext({ locale })).newPage()
  await openSession(page, locale, 'acme', user, null)
  return page
}

for (const locale of getLocales(import.meta.url))
  test(`a legal hold is released by two people (${locale})`, async ({ page, browser }) => {
    const says = TEXTS[locale]
    const complaints = watch(page)
    const target = `decided.by.two.${locale.toLowerCase()}@acme.example`
    const proposals = at(locale, '/dashboard/governance/approvals')
    const ines = await join(browser, locale, 'ines')
    const result = watch(ines)
    await openSession(page, locale, 'acme', 'alice', null)

    /** The second person opens and confirms the proposal. */
    const confirm = async (what: string) => {
      await ines.goto(`${proposals}?state=waiting`)
      await ines.getByRole('row').filter({ hasText: what }).first().click()
      await ines.getByRole('button', { name: says('Confirm'), exact: true }).click()
      await ines
        .getByRole('dialog')
        .last()
        .getByRole('button', { name: says('Confirm'), exact: true })
        .click()
      await expect(ines.getByText(says('Confirmed and done'))).toBeVisible()
    }

    /** The second person rejects what they have open. */
    const reject = async (reason: string) => {
      await ines.getByRole('button', { name: says('Reject'), exact: true }).click()
      await ines.getByRole('dialog').last().getByRole('textbox').fill(reason)
      await ines
        .getByRole('dialog')
        .last()
        .getByRole('button', { name: says('Reject') })
        .click()
      await expect(ines.getByText(says('Proposal rejected')).last()).toBeVisible()
    }

    await page.goto(proposals)
    await expect(page.getByText(says('Single approval'))).toBeVisible()
    await page.getByRole('button', { name: says('Require dual control'), exact: true }).click()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: says('Propose') })
      .click()
    await expect(page.getByText(says.proposed)).toBeVisible()
    await expect(page.getByText(says('Single approval'))).toBeVisible()
    // The proposer can only withdraw it.
    await page.getByRole('row').filter({ hasText: says.what.on }).first().click()
    await expect(page.getByText(says('You proposed this: another person must decide.'))).toBeVisible()
    await expect(page.getByRole('button', { name: says('Confirm'), exact: true })).toHaveCount(0)
    await expectAccessible(page)
    await confirm(says.what.on)
    try {
      await visit(page, at(locale, '/dashboard/governance/holds'))
      await page.getByRole('link', { name: says('Place on legal hold') }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByText(says('Portal user'), { exact: true }).click()
      await dialog.getByRole('textbox', { name: says.who }).fill(target)
      await dialog.getByRole('button', { name: says('Place on hold'), exact: true }).click()
      await expect(dialog).toHaveCount(0)
      const propose = async () => {
        await page.goto(at(locale, `/dashboard/governance/holds?preview=PortalUser%2F${target}`))
        await page.getByRole('button', { name: says('Release'), exact: true }).click()
        await page.getByRole('dialog').last().getByRole('textbox').fill('The inquiry is over')
        await page
          .getByRole('dialog')
          .last()
          .getByRole('button', { name: says('Release') })
          .click()
        await expect(page.getByText(says.proposed)).toBeVisible()
        await expect(page.getByText(says('Current hold'))).toBeVisible()
      }
      await propose()
      await ines.goto(`${proposals}?state=waiting`)
      await ines
        .getByRole('row')
        .filter({ hasText: says.release(target) })
        .click()
      await expect(ines.getByText('The inquiry is over')).toBeVisible()
      await expectAccessible(ines)
      await reject('It is not over')
      await propose()
      await confirm(says.release(target))
      await page.reload()
      await expect(page.getByText(says('Previous holds'))).toBeVisible()
      await expect(page.getByText(/Alice Carter \+ Inês Prado/)).toBeVisible()

      // A wider transfer says before it is saved what the second person has to approve, and tells that person the same.
      await visit(page, at(locale, '/dashboard/account/transfers/config?reference=customer-archive'))
      const folder = page.getByRole('textbox', { name: new RegExp(`^${says('Folder')}`) })
      const was = await folder.inputValue()
      await folder.fill(`${was}/else`)
      await page.getByRole('button', { name: says('Save'), exact: true }).click()
      const question = page.getByRole('dialog', { name: says('This needs a second approval') })
      await expect(question.getByText(says('Changes to approve'))).toBeVisible()
      await expect(question.getByText(`${was}/else`)).toBeVisible()
      await expectAccessible(page, { part: '[role=dialog]' })
      await question.getByRole('button', { name: says('Propose') }).click()
      await expect(page.getByText(says.proposed)).toBeVisible()
      await ines.goto(`${proposals}?state=waiting`)
      await ines.getByRole('row').filter({ hasText: says.transfer }).click()
      await expect(ines.getByText(says('Changes to approve'))).toBeVisible()
      await expect(ines.getByText(`${was}/else`).first()).toBeVisible()
      await reject('Not there')
    } finally {
      // Restores the setting: later journeys release holds.
      await page.goto(proposals)
      await page.getByRole('button', { name: says('Remove dual control'), exact: true }).click()
      await page
        .getByRole('dialog')
        .getByRole('button', { name: says('Propose') })
        .click()
      await expect(page.getByText(says.proposed)).toBeVisible()
      await confirm(says.what.off)
    }
    await page.goto(proposals)
    await expect(page.getByText(says('Single approval'))).toBeVisible()
    expect([...complaints, ...result]).toEqual([])
    await ines.context().close()
  })
