import { expectAccessible } from './accessibility.ts'
import { getLocales, inBoth } from './locales.ts'
import { at, chooseAct, openSession, watch } from './person.ts'
import { expect, test } from './test.ts'

const TEXTS = inBoth(
  {
    bad: /schedule/i,
    of: (name: string) => `Transfer of ${name}`,
    forbidden: /This address is not allowed from here/,
    missing: /required|needs/i,
  },
  {
    bad: /agenda/i,
    of: (name: string) => `Transferência de ${name}`,
    forbidden: /Este endereço não é permitido daqui/,
    missing: /obrigat/i,
  },
)

test.use({ timezoneId: 'UTC' })

for (const locale of getLocales(import.meta.url))
  test(`a transfer is configured, tested, changed and removed (${locale})`, async ({ page }) => {
    const says = TEXTS[locale]
    const complaints = watch(page)
    const name = `archive-${locale}`
    await openSession(page, locale, 'acme', 'alice', at(locale, '/dashboard/account/transfers'))
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await expectAccessible(page)
    await page.getByRole('link', { name: says('Configurations'), exact: true }).click()
    // The list of runs has such a link, too.
    await page.waitForURL(/tab=configs/)
    await expect(page.getByRole('columnheader', { name: says('Schedule'), exact: true })).toBeVisible()
    await page
      .getByRole('link', { name: says('Add a configuration') })
      .first()
      .focus()
    await page.keyboard.press('Enter')
    const box = (label: string) =>
      page.locator('main').getByRole('textbox', { name: new RegExp(`^${label}( \\*)?$`) })
    await box(says('Name')).fill(name)
    await page.getByRole('combobox', { name: says('Schedule'), exact: true }).click()
    await page.getByRole('option', { name: says('Expert') }).click()
    await box(says('Expression')).fill('cron(0 25 * * ? *)')
    await expect(page.getByText(says.bad).last()).toBeVisible()
    await box(says('Expression')).fill('cron(0 2 * * ? *)')
    await expect(page.getByText(says('Next runs'))).toBeVisible()
    // In this zone the time in UTC is the same, and shown once.
    await expect(page.getByRole('listitem').filter({ hasText: /UTC/ })).toHaveText(
      Array(5).fill(/^[^(]*02:00 UTC$/),
    )
    // A bucket shows its role's policies, with the account's external id in the trust policy.
    await page.getByText(says('S3 bucket'), { exact: true }).click()
    const external = page.getByText(/^custodia-[0-9a-f]{32}$/)
    const policies = page.locator('pre')
    await expect(policies.first()).toContainText((await external.textContent()) ?? 'none')
    await expect(policies.last()).toContainText('s3:PutObject')
    await expectAccessible(page)
    await page.getByText(says('SFTP server'), { exact: true }).click()
    await box(says('Server')).fill('127.0.0.1')
    await box(says('User')).fill('archive')
    await page.getByLabel(says('Password'), { exact: true }).fill('correct horse')
    await page.getByRole('combobox', { name: says('Groups'), exact: true }).click()
    await page.getByRole('option', { name: 'Trading Desk' }).click()
    await page.keyboard.press('Escape')
    // The connection guard rejects an internal server, and nothing is sent.
    await page.getByRole('button', { name: says('Test this target') }).click()
    await expect(page.getByRole('alert').filter({ hasText: says('Not working yet') })).toBeVisible()
    await expectAccessible(page)
    // An active config needs the server's key; an inactive one does not.
    await page.getByRole('switch', { name: says('Enabled') }).uncheck()
    await page.getByRole('button', { name: says('Save'), exact: true }).click()
    await expect(page.getByText(says('Configuration saved'))).toBeVisible()
    await expect(page.getByRole('heading', { level: 1, name })).toBeVisible()
    await expect(page.getByText(says('Stored. Enter another to replace it.'))).toBeVisible()
    await expect(page.getByText('Trading Desk (Compliance Manager)')).toBeVisible()
    // The only role of Alice that may download: the config uses it.
    await expect(page.getByRole('combobox', { name: says('Role'), exact: true })).toHaveValue(
      'Compliance Manager',
    )
    await expectAccessible(page)
    await page.goto(at(locale, '/dashboard/account/transfers?tab=configs'))
    await page.getByRole('row').filter({ hasText: name }).getByRole('link').first().click()
    await expect(page.getByRole('heading', { level: 1, name })).toBeVisible()
    await page.getByRole('combobox', { name: says('Schedule'), exact: true }).click()
    await page.getByRole('option', { name: says('Expert') }).click()
    await box(says('Expression')).fill('rate(2 hours)')
    await page.getByRole('button', { name: says('Save'), exact: true }).click()
    await expect(page.getByText(says('Configuration saved'))).toBeVisible()
    await expect(page.getByText(says('Stored. Enter another to replace it.'))).toBeVisible()

    // With a pinned key the config runs: the guard blocks it, and the run shows the reason.
    await box(says('Server key')).fill(`SHA256:${'A'.repeat(43)}`)
    // A new key requires the secret again: it belonged to the previous server.
    await page.getByLabel(says('Password'), { exact: true }).fill('correct horse')
    await page.getByRole('switch', { name: says('Enabled') }).check()
    await page.getByRole('button', { name: says('Save'), exact: true }).click()
    await page.getByRole('button', { name: says('Run now'), exact: true }).click()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: says('Run now'), exact: true })
      .click()
    await expect(page.getByRole('heading', { level: 1, name: says.of(name) })).toBeVisible()
    await expect(page.getByText(says('No files stored')).first()).toBeVisible({ timeout: 60_000 })
    await expect(page.getByText(says.forbidden).first()).toBeVisible()
    await expectAccessible(page)
    await page.getByRole('button', { name: says('Send failed items again'), exact: true }).click()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: says('Send failed items again'), exact: true })
      .click()
    await expect(page.getByText(says('Sending again'))).toBeVisible()
    await page.goto(at(locale, '/dashboard/account/transfers'))
    await page.getByRole('row').filter({ hasText: name }).getByRole('link').first().click()
    await page.getByRole('link', { name, exact: true }).click()
    await chooseAct(page, locale, says('Delete'))
    await page
      .getByRole('dialog')
      .getByRole('button', { name: says('Delete'), exact: true })
      .click()
    await expect(page.getByText(says('Configuration deleted'))).toBeVisible()
    await expect(page.getByRole('row').filter({ hasText: name })).toHaveCount(0)
    // The wrong schedule: its call, and what the page logs if the answer arrives before the next input.
    expect(complaints.filter((each) => !/transfer_schedules|: schedule: /.test(each))).toEqual([])
  })
