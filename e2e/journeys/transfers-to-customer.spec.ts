import { mkdir, readdir, readFile, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { signIn } from '../../apps/server/src/testing/access-fixture.ts'
import { expectAccessible } from './accessibility.ts'
import { getLocales, inBoth } from './locales.ts'
import { at, openSession, watch, clickCounter } from './person.ts'
import { expect, test } from './test.ts'

const TEXTS = inBoth(
  {
    failed: 'Failed',
    delivered: 'Delivered',
  },
  {
    failed: 'Falhou',
    delivered: 'Entregue',
  },
)

for (const locale of getLocales(import.meta.url))
  test(`records go to a customer’s server, one fails, is repaired and goes (${locale})`, async ({
    copy,
    page,
  }) => {
    const says = TEXTS[locale]
    const complaints = watch(page)
    const name = `customer-${locale.toLowerCase()}`
    const { port, password } = JSON.parse(
      await readFile(join(copy.dataDir, 'demo/customer-server.json'), 'utf8'),
    )
    const alice = await signIn(copy.url, 'acme', 'alice')
    const role_reference = `messages-${locale}`
    await alice.api.saveRole({
      params: { role_reference },
      body: {
        permissions: [{ actions_matching: ['payloads:list', 'payloads:read', 'payloads:download'] }],
        payload_types: ['SMS'],
        cidr_ranges: [],
        alert_permissions: { ops_read: false, ops_write: false, sec_read: false, sec_write: false },
        is_alertable: false,
      },
    })
    await openSession(page, locale, 'acme', 'alice', at(locale, '/dashboard'))
    // From the home page to a delivered run: at most eight clicks.
    const counter = clickCounter()
    const { click } = counter
    await click(page.getByRole('link', { name: says('Transfers'), exact: true }))
    await click(page.getByRole('link', { name: says('Add a configuration') }).first())
    const box = (label: string) =>
      page.locator('main').getByRole('textbox', { name: new RegExp(`^${label}( \\*)?$`) })
    await box(says('Name')).fill(name)
    await page.getByRole('combobox', { name: says('Role'), exact: true }).fill(role_reference)
    await click(page.getByRole('option', { name: role_reference }))
    await box(says('Server')).fill('127.0.0.1')
    await box(says('Port')).fill(String(port))
    await box(says('User')).fill('archive')
    await page.getByLabel(says('Password'), { exact: true }).fill(password)
    await box(says('Folder')).fill(`/${name}`)
    // The first test shows the server's key; the second connects to that server only.
    await click(page.getByRole('button', { name: says('Test this target') }))
    await click(page.getByRole('button', { name: says('It is the same') }))
    await expect(page.getByText(says('A test file was written, read and removed'))).toBeVisible()
    await expectAccessible(page)
    await click(page.getByRole('button', { name: says('Save'), exact: true }))
    await expect(page.getByRole('heading', { level: 1, name })).toBeVisible()
    await expect(page.getByRole('heading', { name: says('Changes') })).toBeVisible()

    // An existing object blocks one item.
    const found = await alice.api.listPayloads({
      query: { payload_types: ['SMS'], states: ['Processed'], limit: 1 } as never,
    })
    if (!found.data[0]) throw new Error('no message')
    const { payload_reference, payload_time } = found.data[0]
    const day = new Date(payload_time * 1000).toISOString().slice(0, 10).replaceAll('-', '/')
    const there = join(copy.dataDir, 'demo/customer-server', name, day)
    const obstacle = join(there, `${payload_reference}.json.zip`)
    await mkdir(obstacle, { recursive: true })
    await click(page.getByRole('button', { name: says('Run now'), exact: true }))
    await click(page.getByRole('dialog').getByRole('button', { name: says('Run now'), exact: true }))
    expect(counter.clicks).toBe(8)
    await expect(page.getByText(says('Partly failed'))).toBeVisible({ timeout: 60_000 })
    // Failed items come first, with the reason.
    await expect(page.getByLabel(says('State'), { exact: true })).toHaveValue('Failed')
    const row = page.getByRole('row').filter({ hasText: payload_reference })
    await expect(row.first()).toBeVisible()
    await expect(page.getByText(says('The server refused the file'))).toBeVisible()
    // The role may not download calls: the run lists what it skips.
    await expect(page.getByRole('heading', { name: says('Not delivered') })).toBeVisible()
    await expect(page.getByText(says('The role does not allow this recording type')).first()).toBeVisible()
    await expectAccessible(page)

    await rmdir(obstacle)
    const run = `**/transfers/${page.url().split('/').pop()}?*`
    await page.route(run, async (route) => {
      const response = await route.fetch()
      const body = await response.json()
      await route.fulfill({ response, json: { ...body, transfer_state: 'InProgress', completed_at: null } })
    })
    await page.getByRole('button', { name: says('Send failed items again'), exact: true }).click()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: says('Send failed items again'), exact: true })
      .click()
    await expect(page.getByText(says('Partly failed'))).toHaveCount(0, { timeout: 60_000 })
    await expect(page.getByLabel(says('State'), { exact: true })).toHaveValue('all')
    await expect(async () => {
      const more = page.getByRole('button', { name: says('Show more') })
      if (await more.isVisible()) await more.click()
      await expect(row.first().getByText(says.delivered, { exact: true })).toBeVisible({ timeout: 1000 })
    }).toPass()
    // The end of the run does not fold the list again.
    await page.unroute(run)
    await expect(page.getByText(says('Under way')).and(page.locator(':not(option)'))).toHaveCount(0)
    await expect(row.first().getByRole('link')).toHaveAttribute(
      'href',
      at(locale, `/dashboard/services/messages/${payload_reference}`),
    )
    // The failed attempt stays in the history.
    await expect(page.getByText(says('The server refused the file'))).toBeVisible()
    expect((await readdir(there)).filter((each) => each.startsWith(payload_reference))).toHaveLength(2)

    // On a phone each item is a line with expandable details.
    await page.setViewportSize({ width: 390, height: 844 })
    const line = page.getByRole('listitem').filter({ hasText: payload_reference })
    const path = line.getByText(`/${name}/`)
    await expect(line.getByText(says.delivered, { exact: true }).first()).toBeVisible()
    await expect(path).toBeHidden()
    await line.locator('summary').press('Enter')
    await expect(path).toBeVisible()
    await expectAccessible(page)

    const file = page.waitForEvent('download')
    await page.getByRole('button', { name: 'CSV', exact: true }).click()
    const csv = await readFile(await (await file).path(), 'utf8')
    expect(csv).toContain(says('Stored at'))
    expect(csv).toContain(payload_reference)
    expect(csv).toMatch(/[0-9a-f]{64}/)
    expect(complaints.filter((each) => !each.includes('transfer_schedules'))).toEqual([])
  })
