import { openDatabase } from '../../apps/server/src/ports/database/pool.ts'
import { getLocales, inBoth } from './locales.ts'
import { at, clickCounter, openSession, visit, watch } from './person.ts'
import { expect, type Page, test } from './test.ts'

const SAYS = inBoth(
  {
    silent: 'Devices silent for at least a day',
    alive: 'Online devices without recordings',
    day: 'Silent for a day',
    days: 'Silent for three days',
    badge: 'Online, no recordings',
    last: 'Last recording',
    lastSeen: 'Last seen',
    usual: /usually one within 22 hours/,
    alert: 'A device is online without recordings',
    incident: '2 × A device is silent',
    each: 'Show each alert',
    clear: 'Clear…',
    reason: 'Reason',
    confirm: 'Clear',
    cleared: '2 alerts cleared',
    already: 'Already cleared',
  },
  {
    usual: /em geral uma em 22 horas/,
    alert: 'Um dispositivo está online sem gravações',
    incident: '2 × Um dispositivo está sem contato',
    confirm: 'Encerrar',
    cleared: '2 alertas encerrados',
  },
)

/** Follows a worklist line to a list of the same size. */
async function follow(page: Page, line: string): Promise<void> {
  const link = page.getByRole('listitem').filter({ hasText: line }).getByRole('link')
  await expect(link.locator('strong')).toHaveText(/^[1-9]/)
  const count = await link.locator('strong').innerText()
  await link.click()
  await expect(page).toHaveURL(/\/dashboard\/devices\?.*silences=/)
  await expect(page.locator('h1 + .tabular')).toHaveText(count)
}

for (const locale of getLocales(import.meta.url)) {
  const says = SAYS[locale]

  test.describe(`silent devices (${locale})`, () => {
    test.use({ locale })

    test('are listed from the worklist, apart from devices that are alive, and raise an alert', async ({
      browser,
      page,
    }) => {
      const complaints = watch(page)
      await openSession(page, locale, 'acme', 'alice')
      await follow(page, says.silent)
      const rows = page.locator('main').getByRole('row')
      await expect(rows.filter({ hasText: 'Marcus' }).filter({ hasText: says.day })).toBeVisible()
      await expect(rows.filter({ hasText: 'Molly' }).filter({ hasText: says.days })).toBeVisible()
      await expect(rows.filter({ hasText: 'Nadia' })).toHaveCount(0)
      // The longest silence comes first.
      const header = page.getByRole('columnheader', { name: says.lastSeen })
      for (const order of ['descending', 'ascending']) {
        await header.getByRole('button').press('Enter')
        await expect(header).toHaveAttribute('aria-sort', order)
      }
      await expect(rows.nth(1)).toContainText('Molly')
      await visit(page, at(locale, '/dashboard'))
      await follow(page, says.alive)
      await rows.filter({ hasText: 'Nadia' }).first().getByText('Nadia Volk').click()
      await expect(page).toHaveURL(/\/dashboard\/devices\/[^/?]+/)
      await expect(page.getByRole('heading', { level: 1, name: 'Nadia Volk' })).toBeVisible()
      await expect(page.getByText(says.badge).first()).toBeVisible()
      await expect(page.getByText(says.usual)).toBeVisible()
      await visit(page, at(locale, '/dashboard/account/alerts'))
      await expect(page.getByRole('row').filter({ hasText: says.alert }).first()).toBeVisible()
      const incident = page.getByText(says.incident)
      await incident.click()
      await page.getByRole('link', { name: says.each }).click()
      await expect(rows.filter({ has: page.getByRole('gridcell') })).toHaveText([
        /Marcus|Molly/,
        /Marcus|Molly/,
      ])
      // A second person is about to clear the same two.
      const second = await (await browser.newContext({ locale })).newPage()
      const { pathname, search } = new URL(page.url())
      await openSession(second, locale, 'acme', 'ines', `${pathname}${search}`)
      await second.getByRole('columnheader').getByRole('checkbox').press('Space')
      await page.goBack()
      const clear = async (one: Page) => {
        await one.getByRole('button', { name: says.clear }).click()
        await one.getByRole('textbox', { name: says.reason }).fill('Both are on leave')
        await one.getByRole('dialog').getByRole('button', { name: says.confirm, exact: true }).click()
      }
      await clear(page)
      await expect(page.getByText(says.cleared)).toBeVisible()
      await expect(incident).toHaveCount(0)
      await clear(second)
      await expect(second.getByText(says.already)).toBeVisible()
      await expect(second.getByRole('dialog')).toHaveCount(0)
      expect(complaints).toEqual([])
    })
  })
}

/** As many as a fleet of 5,000 devices has silent at a time. */
const SILENT = 252

test(`${SILENT} silent devices receive a command with five clicks`, async ({ copy, page }) => {
  const db = await openDatabase({ connection: copy.connection, appName: 'journey' })
  await db.owner.query(`update devices set silence = null where silence <> 'silent_but_alive'`)
  // More groups than the filter lists before a name is typed; the devices are in the last.
  await db.owner.query(
    `insert into groups (client_id, group_reference, updated_at, updated_by) select client_id, name, 1, 'journey'
     from (select 'Branch ' || i as name from generate_series(1, 250) i union all select 'Zulu') named, clients where client = 'acme'`,
  )
  await db.owner.query(
    `insert into devices (client_id, device_reference, group_id, services, last_seen, activated_at, silence, updated_at, updated_by)
     select client_id, 'quiet-' || i, group_id, '{calls}', 1, 1, 'long_silent', 1, 'journey'
     from generate_series(1, $1) i, groups join clients using (client_id) where client = 'acme' and group_reference = 'Zulu'`,
    [SILENT],
  )
  await db.close()
  const complaints = watch(page)
  const counter = clickCounter()
  const { click } = counter
  await openSession(page, 'en-GB', 'acme', 'alice')
  await click(page.getByRole('listitem').filter({ hasText: SAYS['en-GB'].silent }).getByRole('link'))
  await expect(page.locator('h1 + .tabular')).toHaveText(String(SILENT))
  await click(page.getByRole('columnheader').getByRole('checkbox'))
  await expect(page.getByText(`All ${SILENT} matching`)).toBeVisible()
  await click(page.getByRole('button', { name: 'Send command…' }))
  const dialog = page.getByRole('dialog', { name: `Send a command to all ${SILENT} matching devices` })
  await click(dialog.getByRole('radio', { name: 'Send diagnostics' }))
  await click(dialog.getByRole('button', { name: 'Send', exact: true }))
  expect(counter.clicks).toBe(5)
  await expect(page.getByText(`Command sent to ${SILENT} devices`)).toBeVisible()
  // Each device has its own command, and its own outcome.
  await visit(page, '/dashboard/devices?tab=commands&commands=diagnostics_upload&states=Sent')
  await expect(page.locator('h1 + .tabular')).toHaveText(String(SILENT))

  await visit(page, '/dashboard/devices')
  await page.locator('[data-list-filter]').filter({ hasText: 'Group' }).click()
  await expect(page.getByRole('option', { name: 'Branch 1', exact: true })).toBeVisible()
  await expect(page.getByRole('option', { name: 'Zulu' })).toHaveCount(0)
  await page.keyboard.type('zulu')
  await page.getByRole('option', { name: 'Zulu' }).click()
  await expect(page.locator('h1 + .tabular')).toHaveText(String(SILENT))
  await page.keyboard.press('Escape')
  await page.getByRole('columnheader').getByRole('checkbox').press('Space')
  await expect(page.getByText(`All ${SILENT} matching`)).toBeVisible()
  expect(complaints).toEqual([])
})
