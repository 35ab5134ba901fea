import { openDatabase } from '../../apps/server/src/ports/database/pool.ts'
import { hashPassword, PUBLIC_COST } from '../../apps/server/src/ports/identity/people.ts'
import { openSession, visit } from './person.ts'
import { type Browser, expect, type Page, test } from './test.ts'

async function open(browser: Browser, user: string, path: string): Promise<Page> {
  const page = await (await browser.newContext()).newPage()
  await openSession(page, 'en-GB', 'acme', user, path)
  return page
}

test('an administrator assigns roles in the portal, to a person before the first sign-in too', async ({
  browser,
  copy,
}) => {
  const alice = await open(browser, 'alice', '/dashboard/access/people')
  const drawer = alice.getByRole('dialog')
  const choose = async (label: string, option: string) => {
    await drawer.getByRole('combobox', { name: label }).fill(option)
    await alice.getByRole('option', { name: option, exact: true }).click()
    await drawer.getByRole('combobox', { name: label }).press('Tab')
  }
  const save = async () => {
    const button = drawer.getByRole('button', { name: 'Save', exact: true })
    await button.click()
    await expect(button).toHaveCount(0)
    // What grants or takes much is shown before it is saved.
    const anyway = drawer.getByRole('button', { name: 'Save anyway' })
    if (await anyway.isVisible()) await anyway.click()
    await expect(drawer).toHaveCount(0)
  }
  const row = (name: string) => alice.getByRole('row').filter({ hasText: name })

  // An outside auditor, until a day.
  await alice.keyboard.press('Control+k')
  await alice.getByRole('combobox').fill('temporary auditor')
  await alice.getByRole('option', { name: 'Give a person access…' }).click()
  await drawer.getByLabel('User reference').fill('olga')
  await choose('Roles', 'Compliance Reviewer')
  await drawer.getByText('Only these groups').click()
  await choose('Only these groups', 'North')
  await drawer
    .getByLabel('Access ends')
    .fill(new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10))
  await save()
  await expect(row('olga')).toContainText('Never')
  await expect(row('olga')).toContainText('Ends in 2 days')
  for (const [name, role] of [
    ['alice', undefined],
    ['carol', 'Auditor'],
  ] as const) {
    await row(name).click()
    await alice.getByRole('button', { name: 'Assign roles…' }).click()
    if (role) await choose('Roles', role)
    await save()
  }

  // What a person may do, and by which role.
  await row('alice').click()
  await alice.getByRole('button', { name: 'What this person may do…' }).click()
  await drawer.getByLabel('Find an action').fill('activities:list')
  await expect(drawer.getByRole('row').nth(1)).toContainText('read the audit log of people')
  await expect(drawer.getByRole('row').nth(1)).toContainText('Allowed')
  await drawer.getByRole('button', { name: 'Close' }).click()

  // As the first steps of an account link to it.
  await visit(alice, '/dashboard/access/people?claims=true')
  await drawer.getByText('In the portal').click()
  await drawer.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(drawer.getByText('Who gains or loses roles')).toBeVisible()
  await expect(drawer.getByText('gains Auditor')).toBeVisible()
  await drawer.getByRole('button', { name: 'Save anyway' }).click()
  await expect(drawer).toHaveCount(0)

  // The identity provider knows the new person without any role.
  const db = await openDatabase({ connection: copy.connection, appName: 'journey' })
  await db.owner.query(
    `insert into oidc_people (client, user_reference, password_hash, roles, description) values ('acme', 'olga', $1, '{}', '')`,
    [await hashPassword('olga-demo', PUBLIC_COST)],
  )
  await db.close()
  const olga = await open(browser, 'olga', '/dashboard/services/calls')
  await expect(olga.getByRole('row').nth(1)).toBeVisible()
  await expect(olga.getByRole('cell', { name: 'South', exact: true })).toHaveCount(0)
  const carol = await open(browser, 'carol', '/dashboard')
  await expect(carol.getByRole('navigation').getByRole('link', { name: 'Audit' })).toBeVisible()
  await alice.reload()
  await expect(row('olga')).not.toContainText('Never')
  await row('olga').click()
  await expect(alice.getByText('given by Alice Carter')).toBeVisible()
  await expect(row('olga')).toContainText('Compliance Reviewer')

  // A recertification revokes her.
  await alice.getByRole('link', { name: 'Recertifications' }).click()
  await alice.getByRole('link', { name: 'Start recertification' }).click()
  await drawer.getByLabel('Name').fill('Autumn')
  await drawer.getByRole('button', { name: 'Start recertification' }).click()
  // The page replaces the list at the same path, and its title takes the focus.
  await expect(alice.getByRole('heading', { name: 'Autumn' })).toBeFocused()
  const mark = alice.getByRole('checkbox', { name: 'Select olga' })
  await alice.getByRole('button', { name: 'Revoke olga' }).press('Enter')
  await drawer.getByLabel('Reason').fill('Left the company')
  await drawer.getByRole('button', { name: 'Revoke' }).click()
  await expect(row('olga')).toContainText('Revoked · Alice Carter')
  await expect(mark).toHaveCount(0)
  // The next person without a decision.
  await expect(alice.locator(':focus')).toHaveAccessibleName(/^Confirm ./)
  await alice.getByRole('button', { name: 'End with open decisions' }).click()
  await expect(drawer).toContainText('stay without a decision')
  await drawer.getByRole('button', { name: 'Cancel' }).click()
  await expect(alice.getByRole('button', { name: 'Save the signed report' })).toHaveCount(0)
  await alice.getByRole('button', { name: 'End with open decisions' }).click()
  await drawer.getByRole('button', { name: 'End recertification' }).click()
  await expect(alice.getByText('No decision')).not.toHaveCount(0)
  await expect(alice.getByText('Another person decides')).toHaveCount(0)
  const saving = alice.waitForEvent('download')
  await alice.getByRole('button', { name: 'Save the signed report' }).click()
  await saving
  await olga.reload()
  await expect(olga.getByRole('row')).toHaveCount(0)
  await alice.goto('/dashboard/account/audit')
  await expect(alice.getByRole('row').filter({ hasText: 'gave olga access until' })).toBeVisible()
})
