import { clickCounter, openSession, visit } from './person.ts'
import { expect, test } from './test.ts'

test('the provider has access as far and as long as the client approves, and every step is audited', async ({
  browser,
}) => {
  const erin = await (await browser.newContext()).newPage()
  await openSession(erin, 'en-GB', 'admin', 'erin', '/internal/support')
  const alice = await (await browser.newContext()).newPage()
  await openSession(alice, 'en-GB', 'acme', 'alice', null)

  await erin.getByRole('button', { name: 'Request access' }).first().click()
  const drawer = erin.getByRole('dialog')
  await drawer.getByRole('combobox', { name: 'Client' }).click()
  await erin.getByRole('option', { name: /Acme/ }).click()
  await drawer.getByRole('combobox', { name: 'Role' }).click()
  await erin.getByRole('option', { name: /Support Metadata/ }).click()
  await drawer.getByLabel('Description').fill('A call is missing in the list of North')
  await drawer.getByText('4 hours').click()
  await drawer.getByRole('button', { name: 'Send request' }).click()
  await expect(erin.getByText(/Access requested from/)).toBeVisible()

  // Approved for an hour
  await alice.goto('/dashboard/account/support-access')
  await alice.getByRole('row').filter({ hasText: 'A call is missing' }).first().click()
  await alice.getByRole('button', { name: 'Approve…' }).first().click()
  const dialog = alice.getByRole('dialog').last()
  await expect(dialog.getByText('Can hear recordings and read messages')).toBeVisible()
  await dialog.getByText('1 hour').click()
  await dialog.getByRole('button', { name: 'Approve', exact: true }).click()
  await expect(alice.getByRole('button', { name: 'Revoke…' }).first()).toBeVisible()

  // Metadata without playback
  await erin.goto('/internal/support?state=approved')
  const other = await erin.context().newPage()
  await other.goto('/internal')
  await expect(other.getByRole('heading', { level: 1 })).toBeVisible()
  await erin.evaluate(() => Object.assign(window, { isBefore: true }))
  await erin.getByRole('button', { name: 'Start support mode' }).first().click()
  await erin.waitForURL(/\/dashboard/)
  // All tabs show the support bar.
  for (const page of [erin, other]) await expect(page.getByText('Support mode: Acme Capital')).toBeVisible()
  // A new document: what was searched for before does not reach this client.
  expect(await erin.evaluate(() => 'isBefore' in window)).toBe(false)
  await erin.goto('/dashboard/services/calls?payload_types=Call')
  await erin.getByRole('row').nth(1).click()
  await erin.keyboard.press('Enter')
  await erin.waitForURL(/\/calls\/[0-9A-Z]{26}/)
  await expect(erin.getByRole('heading', { level: 1 })).toBeVisible()
  await expect(erin.getByText('payloads:play').first()).toBeVisible()
  await expect(erin.getByRole('button', { name: /^Play\b/ })).toBeDisabled()

  // Revoked: the next call fails and ends support mode, whether the user or the page sends it
  await alice.getByRole('button', { name: 'Revoke…' }).first().click()
  await alice
    .getByRole('dialog')
    .last()
    .getByRole('button', { name: /^Revoke/ })
    .last()
    .click()
  await expect(alice.getByRole('button', { name: 'Revoke…' })).toHaveCount(0)
  const isBack = erin.waitForURL(/\/internal\/support/)
  await Promise.race([erin.getByRole('link', { name: 'Messages' }).first().click(), isBack])
  await isBack
  await other.waitForURL(/\/internal\/support/)
  for (const page of [erin, other]) await expect(page.getByText('Support mode: Acme Capital')).toHaveCount(0)

  // One click shows all that support did, from the home or from the list
  await visit(alice, '/dashboard')
  const home = alice.getByRole('region', { name: 'Awaiting your action' })
  await home
    .getByRole('listitem')
    .filter({ hasText: 'Support access, last 7 days' })
    .getByRole('link', { name: /^Erin Walsh, / })
    .first()
    .click()
  await expect(alice.getByRole('heading', { level: 1, name: 'Support access of Erin Walsh' })).toBeVisible()
  await visit(alice, '/dashboard/account/support-access')
  const counter = clickCounter()
  const request = alice.getByRole('row').filter({ hasText: 'A call is missing' }).first()
  await counter.click(request.getByRole('link').first())
  const steps = alice.getByRole('table', { name: 'Steps in order' })
  for (const stated of ['entered support mode', 'looked through a list of recordings', 'looked up call with'])
    await expect(
      steps.getByRole('row').filter({ hasText: 'Erin Walsh' }).filter({ hasText: stated }).first(),
    ).toBeVisible()
  await expect(alice.getByRole('heading', { level: 1, name: 'Support access of Erin Walsh' })).toBeVisible()
  expect(counter.clicks).toBe(1)
  await erin.goto('/internal/support?state=revoked')
  await erin.getByRole('link', { name: 'What support did' }).first().click()
  await expect(erin.getByRole('table', { name: 'Steps in order' }).getByRole('row').nth(1)).toBeVisible()

  // The client's audit shows each step with the staff member's name
  await visit(alice, '/dashboard/account/audit')
  await alice
    .getByRole('tab', { name: 'Support' })
    .or(alice.getByRole('link', { name: 'Support', exact: true }))
    .first()
    .click()
  await expect(alice.getByRole('row').filter({ hasText: 'erin' }).first()).toBeVisible()
  for (const [action, stated] of [
    ['internal.supportaccess:request', 'requested support access'],
    ['internal.support_mode:start', 'entered support mode'],
    ['payloads:list', 'looked through a list of recordings'],
    ['payloads:read', 'looked up call with'],
  ]) {
    await visit(alice, `/dashboard/account/audit?users=erin&actions=${action}`)
    await expect(alice.getByRole('row').filter({ hasText: stated }).first()).toBeVisible()
  }
  await visit(alice, '/dashboard/account/audit?users=alice&actions=supportaccess:decide')
  await expect(
    alice.getByRole('row').filter({ hasText: 'Alice Carter decided on the support access request' }),
  ).toHaveCount(2)
})
