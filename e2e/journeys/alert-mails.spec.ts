import { TERMS_VERSION } from '@custodia/contract'
import { Browser } from '../../apps/server/src/testing/browser.ts'
import { requirePart } from '../../apps/server/src/testing/require-part.ts'
import { smtpdAvailable } from '../../apps/server/src/testing/smtpd.ts'
import { expectAccessible } from './accessibility.ts'
import { getLocales, inBoth } from './locales.ts'
import { at, mailsTo, openSession, watch } from './person.ts'
import { demo, expect, test } from './test.ts'

const TEXTS = inBoth(
  {
    severity: 'Severity: Medium',
    subject: 'Custodia: an alert of severity Medium',
    line: 'Medium · Notice\n',
  },
  {
    severity: 'Gravidade: Média',
    subject: 'Custodia: um alerta de gravidade Média',
    line: 'Média · Aviso\n',
  },
)

/** The provider sends acme a notice: an alert of acme. */
async function notify(message: string): Promise<void> {
  const browser = new Browser(demo().url)
  const { id_token } = await browser.signIn('admin', 'dave')
  const send = async (method: string, path: string, body: object) => {
    const headers = { authorization: `Bearer ${id_token}`, 'content-type': 'application/json' }
    const { status } = await browser.json(path, { method, headers, body: JSON.stringify(body) })
    expect(status).toBe(200)
  }
  await send('PUT', '/admin/v1/api/admin/profile/terms', { version: TERMS_VERSION })
  const notice = { scope: 'ops', severity: 'Medium', message, expires_after: null, clients: ['acme'] }
  await send('POST', '/admin/v1/internal/alerts', notice)
}

const { skip } = requirePart('exim4-daemon-light', smtpdAvailable())

for (const locale of getLocales(import.meta.url)) {
  const texts = TEXTS[locale]
  test(`an alert arrives by e-mail at a confirmed address (${locale})`, async ({ page }) => {
    test.skip(skip !== false, String(skip))
    const complaints = watch(page)
    const address = `alice.${locale}@bank.example`.toLowerCase()
    await openSession(page, locale, 'acme', 'alice', at(locale, '/dashboard/account/alerts'))
    await page.getByRole('link', { name: texts('Email alerts') }).click()
    await expect(page.getByRole('heading', { level: 1, name: texts('Email alerts') })).toBeVisible()
    await page.getByRole('button', { name: texts('Use another address') }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel(texts('Email address')).fill(address)
    await dialog.getByRole('button', { name: texts('Send a code') }).click()
    await expect.poll(() => mailsTo(address).length, { timeout: 30_000 }).toBe(1)
    const [code = ''] = /\b\d{8}\b/.exec(mailsTo(address)[0]?.text ?? '') ?? []
    await dialog.getByRole('textbox', { name: texts('Code') }).fill(code)
    await dialog.getByRole('button', { name: texts('Confirm') }).click()
    await expect(page.getByText(texts('Address confirmed'), { exact: true })).toBeVisible()
    await expect(page.getByRole('radio', { name: address })).toBeChecked()

    await page.getByRole('combobox', { name: texts.severity }).click()
    await page.getByRole('option', { name: texts('Immediately') }).click()
    await page.getByRole('button', { name: texts('Save'), exact: true }).click()
    await expect(page.getByText(texts('Email alerts saved'))).toBeVisible()
    await expectAccessible(page)

    const subjects = () => mailsTo(address).map(({ headers }) => headers['subject'])
    const secret = `Confidential in ${locale}: not for mails`
    await notify(secret)
    await expect.poll(subjects, { timeout: 60_000 }).toContain(texts.subject)
    const result = mailsTo(address).at(-1)?.text ?? ''
    expect(result.startsWith(texts.line)).toBe(true)
    expect(result).not.toContain(secret)
    const [link = ''] = /http\S+preview=\S+/.exec(result) ?? []
    await page.goto(at(locale, link.replace(new URL(link).origin, '')))
    await expect(page.getByText(secret).first()).toBeVisible()

    await page.goto(at(locale, '/dashboard/account/alert-mails'))
    await page.getByRole('button', { name: texts('Send a test') }).click()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: texts('Send a test') })
      .click()
    await expect(page.getByText(texts('Test in progress'))).toBeVisible()
    await page.getByRole('button', { name: texts('Delete'), exact: true }).click()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: texts('Delete'), exact: true })
      .click()
    await expect(page.getByText(texts('Email alerts ended'))).toBeVisible()
    expect(complaints).toEqual([])
  })
}
