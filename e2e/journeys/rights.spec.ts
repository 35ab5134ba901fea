import { chooseAct, openSession, visit, clickCounter } from './person.ts'
import { type Browser, expect, type Locator, type Page, test } from './test.ts'

const ROLE = 'Desk Reviewer'

async function open(browser: Browser, client: string, user: string): Promise<Page> {
  const page = await (await browser.newContext()).newPage()
  await openSession(page, 'en-GB', client, user, null)
  return page
}

/** Types patterns, each followed by Enter. */
async function fill(field: Locator, ...patterns: string[]): Promise<void> {
  for (const pattern of patterns) {
    await field.fill(pattern)
    await field.press('Enter')
  }
}

/** A call in a group, found by a user who sees all groups. */
async function callIn(page: Page, group: string): Promise<string> {
  await page.goto(`/dashboard/services/calls?payload_types=Call&groups=${group}`)
  await page.getByRole('row').nth(1).click()
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/calls\/[0-9A-Z]{26}/)
  return new URL(page.url()).pathname
}

test('a new role grants exactly what its preview shows', async ({ browser }) => {
  const alice = await open(browser, 'acme', 'alice')
  const north = await callIn(alice, 'North')
  const south = await callIn(alice, 'South')

  // Before: a user with an undefined role has no permissions.
  const hugo = await open(browser, 'acme', 'hugo')
  await hugo.goto('/dashboard/services/calls')
  await expect(hugo.getByText('Your role does not exist yet')).toBeVisible()

  // A group of the same region that the role must exclude.
  await visit(alice, '/dashboard/access/groups')
  await alice.getByRole('link', { name: 'Create group' }).first().click()
  await alice.getByLabel('Name').fill('Weekend Contractors')
  await alice.getByRole('button', { name: 'Add tag' }).click()
  await alice.getByRole('combobox', { name: 'Key of tag 1' }).fill('region')
  await alice.getByRole('combobox', { name: 'Key of tag 1' }).press('Escape')
  await alice.getByRole('combobox', { name: 'Value of tag 1' }).click()
  await alice.getByRole('option', { name: 'South' }).click()
  await alice
    .getByRole('button', { name: /^Save|^Create/ })
    .last()
    .click()
  await expect(alice.getByText('Group Weekend Contractors saved')).toBeVisible()
  // The list shows the group's new tag.
  const contractors = alice.getByRole('row').filter({ hasText: 'Weekend Contractors' })
  await expect(contractors).toContainText('South')
  await contractors.click()
  await alice.getByRole('combobox', { name: 'Value of tag 1' }).click()
  await alice.getByRole('option', { name: 'North' }).click()
  await alice.getByRole('button', { name: 'Save', exact: true }).click()
  const anyway = alice.getByRole('button', { name: 'Save anyway' })
  await expect(anyway.or(contractors.filter({ hasText: 'North' })).first()).toBeVisible()
  if (await anyway.isVisible()) await anyway.click()
  await expect(contractors).toContainText('North')
  await expect(contractors).not.toContainText('South')

  // Calls of groups with region=North, not of the contractors.
  await visit(alice, '/dashboard/access/roles/create')
  await alice.getByRole('textbox', { name: /^Name/ }).first().fill(ROLE)
  await alice.getByRole('combobox', { name: 'Payload types' }).click()
  await alice.getByRole('option', { name: 'Call', exact: true }).click()
  await alice.keyboard.press('Escape')
  await fill(
    alice
      .getByRole('textbox', { name: 'Actions of rule 1' })
      .or(alice.getByRole('combobox', { name: 'Actions of rule 1' })),
    'payloads:list',
    'payloads:read',
    'payloads:play',
  )
  await alice.getByRole('button', { name: 'Only in some groups' }).click()
  await fill(
    alice
      .getByRole('textbox', { name: 'Tag key, rule 1, condition 1' })
      .or(alice.getByRole('combobox', { name: 'Tag key, rule 1, condition 1' })),
    'region',
  )
  await fill(
    alice
      .getByRole('textbox', { name: 'Tag value, rule 1, condition 1' })
      .or(alice.getByRole('combobox', { name: 'Tag value, rule 1, condition 1' })),
    'North',
  )
  await alice.getByRole('button', { name: 'Add rule' }).click()
  await alice.getByLabel('Effect of rule 2').getByText('Deny').click()
  await fill(
    alice
      .getByRole('textbox', { name: 'Actions of rule 2' })
      .or(alice.getByRole('combobox', { name: 'Actions of rule 2' })),
    'payloads*',
  )
  await alice.getByRole('button', { name: 'Only in some groups' }).last().click()
  await fill(
    alice
      .getByRole('textbox', { name: 'Name, rule 2, condition 1' })
      .or(alice.getByRole('combobox', { name: 'Name, rule 2, condition 1' })),
    'Weekend*',
  )
  await alice.getByRole('button', { name: 'Add rule' }).click()
  await fill(
    alice
      .getByRole('textbox', { name: 'Actions of rule 3' })
      .or(alice.getByRole('combobox', { name: 'Actions of rule 3' })),
    'profile:*',
    'profile.terms:*',
    'session:*',
  )

  const preview = alice.getByRole('complementary', { name: 'Effect of this role' })
  const reached = (action: string) => preview.getByRole('listitem').filter({ hasText: action }).last()
  await expect(reached('listen to recordings')).toContainText(/allowed in 1 group: North/)
  await expect(reached('listen to recordings')).toContainText(/not 1 group: Weekend Contractors/)
  await expect(reached('download recordings')).toContainText('denied by rule 2')
  await expect(preview).not.toContainText('South')
  const counted = preview.locator('dt', { hasText: 'Recordings in lists now' }).locator('+ dd')
  const recordings = Number(await counted.textContent())
  expect(recordings).toBeGreaterThan(0)
  await alice.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(alice.getByText(`Role ${ROLE} saved`)).toBeVisible()

  // The holder sees exactly these calls from the next request on.
  await hugo.goto('/dashboard/services/calls')
  await expect(hugo.getByRole('row').nth(1)).toBeVisible()
  await expect(hugo.getByRole('row').filter({ hasText: 'South' })).toHaveCount(0)
  await expect(hugo.getByRole('heading', { level: 1 }).locator('..')).toContainText(
    new RegExp(`(?<![\\d.,])${recordings}(?![\\d.,])`),
  )
  await hugo.goto(north)
  await hugo
    .getByRole('button', { name: /^Play\b/ })
    .first()
    .click()
  await expect
    .poll(() => hugo.locator('audio').evaluate((audio: HTMLAudioElement) => audio.currentTime))
    .toBeGreaterThan(0)
  await visit(hugo, south)
  await expect(hugo.getByText('Data not found').first()).toBeVisible()
  for (const [path, permission] of [
    ['/dashboard/access/roles', 'roles:list'],
    ['/dashboard/account/audit', 'activities:list'],
  ] as const) {
    await visit(hugo, path)
    await expect(hugo.getByText(permission)).toBeVisible()
  }

  // Removed rights are gone.
  await visit(alice, `/dashboard/access/roles/${encodeURIComponent(ROLE)}`)
  await chooseAct(alice, 'en-GB', 'Delete')
  await expect(alice.getByRole('dialog')).toContainText('1 person has this role: Hugo Lang')
  await alice.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await expect(alice.getByText(`Role ${ROLE} deleted`)).toBeVisible()
  await hugo.goto(north)
  await expect(hugo.getByText('Your role does not exist yet')).toBeVisible()
})

test('a new role can start with the permissions of a system role', async ({ browser }) => {
  const alice = await open(browser, 'acme', 'alice')
  await alice.goto('/dashboard/access/roles/create')
  const presets = alice.getByRole('navigation', { name: 'Start from the role' }).getByRole('link')
  await expect(presets).toHaveText([
    'Reviewer',
    'Supervisor',
    'Auditor',
    'Administrator',
    'Administrator of phones',
  ])
  const preview = alice.getByRole('complementary', { name: 'Effect of this role' })
  const reached = (words: string) => preview.getByRole('listitem').filter({ hasText: words }).last()
  await presets.filter({ hasText: /^Reviewer$/ }).click()
  await expect(alice.getByText('With the permissions of Compliance Reviewer')).toBeVisible()
  await expect(reached('listen to recordings')).toContainText('allowed')
  // Labels of the preview, from the role's rules.
  const chip = alice.getByTitle('payloads:play', { exact: true }).first()
  await expect(chip).toContainText('listen to recordings')

  await visit(alice, '/dashboard/access/roles/create')
  await presets.filter({ hasText: /^Auditor$/ }).click()
  await expect(alice.getByText('With the permissions of Auditor')).toBeVisible()
  await expect(reached('read the audit log of people')).toContainText('allowed')
  await expect(preview.getByRole('listitem').filter({ hasText: 'listen to recordings' })).toHaveCount(0)
})

test('a reviewer of one group, for calls only, takes six clicks', async ({ page }) => {
  const name = 'Reviewer of South'
  const counter = clickCounter()
  const { click } = counter
  await openSession(page, 'en-GB', 'acme', 'alice')
  await click(page.getByRole('link', { name: 'Roles', exact: true }))
  await click(page.getByRole('link', { name: 'Create role' }))
  await click(page.getByRole('link', { name: 'Reviewer', exact: true }))
  await expect(page.getByText('With the permissions of Compliance Reviewer')).toBeVisible()
  await page.getByRole('textbox', { name: /^Name/ }).fill(name)
  await page.getByRole('combobox', { name: 'Groups' }).fill('South')
  await click(page.getByRole('option', { name: 'South', exact: true }))
  await page.getByRole('combobox', { name: 'Payload types' }).fill('Call')
  await click(page.getByRole('option', { name: 'Call', exact: true }))
  const effect = page.getByRole('complementary', { name: 'Effect of this role' })
  await expect(effect.getByRole('listitem').filter({ hasText: 'listen to recordings' })).toContainText(
    'South',
  )
  await click(page.getByRole('button', { name: 'Save', exact: true }))
  await expect(page.getByText(`Role ${name} saved`)).toBeVisible()
  expect(counter.clicks).toBe(6)

  // The page shows the holders; a change shows what the role loses.
  await visit(page, `/dashboard/access/roles/${encodeURIComponent(name)}`)
  await expect(page.getByText('No person has this role.')).toBeVisible()
  await expect(page.getByText('South', { exact: true }).first()).toBeVisible()
  await page.getByText('Expert: rules and regular expressions').click()
  await page.getByRole('button', { name: 'Remove rule 2' }).click()
  await expect(effect).toContainText(/loses \d+ rights:/)
})
