import { requirePart } from '../../apps/server/src/testing/require-part.ts'
import { smtpdAvailable } from '../../apps/server/src/testing/smtpd.ts'
import { expectAccessible } from './accessibility.ts'
import { getLocales, inBoth } from './locales.ts'
import {
  at,
  chooseAct,
  mailsTo,
  openSession,
  search,
  visit,
  watch,
  widerBy,
  WORDS,
  clickCounter,
} from './person.ts'
import { expect, test } from './test.ts'

const SAYS = inBoth(
  {
    users: 'Device users',
    add: 'Add device user',
    reference: 'Reference',
    first: 'First name',
    surname: 'Surname',
    email: 'Email',
    group: 'Group',
    save: 'Save',
    saved: 'Ada Byron saved',
    edit: 'Edit',
    expected: 'Expected devices',
    missing: '2 phones are expected',
    offboard: 'Offboard',
    again: 'Onboard again',
    delete: 'Delete',
    deleted: 'Ada Byron deleted',
    none: 'No device users match',
    recordings: 'Recordings',
    calls: 'Calls',
    devices: 'Devices',
    lost: 'Lost or stolen',
    blocked: 'Blocked',
    lift: 'Unblock',
    deactivated: 'Deactivated',
    held: 'Holders over time',
    numbers: 'Numbers over time',
    reported: 'Reported',
    import: 'Import',
    validated: '497 new · 0 changed · 0 unchanged · 3 refused',
    lines: 'Import 497 lines',
    imported: '497 device users imported',
    enrolThose: 'Enrol 497 people…',
    close: 'Close',
    enrolFound: 'Enrol 11 people…',
    sheets: 'Print sheets',
    create: 'Create sheets',
    print: 'Print 11 sheets',
    unprinted: 'Close without printing?',
    ten: 'Import 10 lines',
    enrolTen: 'Enrol 10 people…',
    send: 'Send codes',
    enrolPhone: 'Enrol your phone',
    invited: 'Invited',
    opened: 'Link opened',
    first100: 'Select the first 100 rows',
    selected: '100 of … selected',
    selectMatching: 'Select all 497 matching',
    matching: 'All 497 matching',
    change: 'Change',
    move: 'Move to another group…',
    effect: '497 people change',
    apply: 'Move',
    changed: '497 device users changed',
  },
  {
    saved: 'Ada Byron: salvo',
    missing: '2 telefones são esperados',
    deleted: 'Ada Byron: excluído',
    blocked: 'Bloqueado',
    deactivated: 'Desativado',
    import: 'Importar',
    validated: '497 novos · 0 alterado · 0 sem alteração · 3 recusados',
    lines: 'Importar 497 linhas',
    imported: '497 usuários de dispositivo importados',
    enrolThose: 'Cadastrar 497 pessoas…',
    close: 'Fechar',
    enrolFound: 'Cadastrar 11 pessoas…',
    print: 'Imprimir 11 folhas',
    ten: 'Importar 10 linhas',
    enrolTen: 'Cadastrar 10 pessoas…',
    selected: '100 de … selecionados',
    selectMatching: 'Selecionar todos os 497 correspondentes',
    matching: 'Todos os 497 correspondentes',
    effect: '497 pessoas serão alteradas',
    changed: '497 usuários de dispositivo alterados',
  },
)

const { skip: noMail } = requirePart('exim4-daemon-light', smtpdAvailable())

for (const locale of getLocales(import.meta.url)) {
  const says = SAYS[locale]
  // Separate people and devices: both languages run against one server.
  const person = locale === 'en-GB' ? 'ada-en' : 'ada-pt'
  const holder = locale === 'en-GB' ? 'Oliver Grant' : 'Sofia Duarte'

  test.describe(`the fleet (${locale})`, () => {
    test.use({ locale })

    test('a device user is added, edited, offboarded, onboarded again and deleted', async ({ page }) => {
      const complaints = watch(page)
      await openSession(page, locale, 'acme', 'alice')
      await page.getByRole('navigation').getByRole('link', { name: says.users, exact: true }).click()
      await page.getByRole('link', { name: says.add }).click()
      const drawer = page.getByRole('dialog')
      await drawer.getByLabel(says.reference).fill(person)
      await drawer.getByLabel(says.first, { exact: true }).fill('Ada')
      await drawer.getByLabel(says.surname).fill('Byron')
      await drawer.getByRole('combobox', { name: says.group }).click()
      await drawer.getByRole('option', { name: 'Private Banking' }).click()
      await drawer.getByRole('button', { name: says.save, exact: true }).click()
      await expect(page.getByText(says.saved)).toBeVisible()
      await search(page, person)
      const row = page.getByRole('row').filter({ hasText: 'Ada Byron' })
      await expect(row).toHaveCount(1)
      await row.click()

      await expect(page.getByRole('heading', { level: 1, name: 'Ada Byron' })).toBeVisible()
      await page.getByRole('link', { name: says.edit, exact: true }).click()
      await page.getByRole('dialog').getByLabel(says.expected).fill('2')
      await page.getByRole('dialog').getByRole('button', { name: says.save, exact: true }).click()
      await expect(page.getByText(says.missing)).toBeVisible()

      await chooseAct(page, locale, says.offboard)
      await page.getByRole('dialog').getByRole('button', { name: says.offboard, exact: true }).click()
      await chooseAct(page, locale, says.again)
      await page.getByRole('dialog').getByRole('button', { name: says.again }).click()
      await page.getByRole('button', { name: WORDS[locale].acts }).click()
      await expect(page.getByRole('menuitem', { name: says.offboard, exact: true })).toBeVisible()
      await page.keyboard.press('Escape')

      await page.getByRole('link', { name: says.edit, exact: true }).click()
      await page.getByRole('dialog').getByRole('button', { name: says.delete, exact: true }).click()
      await page.getByRole('dialog').last().getByRole('button', { name: says.delete, exact: true }).click()
      await expect(page.getByText(says.deleted)).toBeVisible()
      await search(page, person)
      await expect(page.getByText(says.none)).toBeVisible()
      expect(complaints).toEqual([])
    })

    test('device users are imported from a file after its invalid lines are listed, and enrolled together', async ({
      page,
    }) => {
      const complaints = watch(page)
      await openSession(page, locale, 'acme', 'alice', at(locale, '/dashboard/devices/users'))
      await page.getByRole('button', { name: says.import, exact: true }).click()
      const of = `file ${locale}`
      const lines = Array.from({ length: 500 }, (_, i) => `${of}-${i};South;calls|sms;João ${i}`)
      lines[3] = `${of}-3;Nowhere;calls;Person 3`
      lines[4] = `x;South;calls;Person 4`
      lines[5] = `${of}-5;South;pigeons;Person 5`
      // A column of an HR file, which the user assigns.
      const text = ['Clock card;group;services;surname', ...lines].join('\r\n')
      // Current and legacy spreadsheet encodings.
      const buffer = locale === 'en-GB' ? Buffer.from(`\uFEFF${text}`) : Buffer.from(text, 'latin1')
      await page
        .locator('input[type=file]')
        .setInputFiles({ name: 'people.csv', mimeType: 'text/csv', buffer })
      const dialog = page.getByRole('dialog')
      await dialog.getByRole('combobox', { name: says.reference }).click()
      await page.getByRole('option', { name: 'Clock card' }).click()
      await expect(dialog.getByText(says.validated)).toBeVisible()
      for (const line of ['5', '6', '7'])
        await expect(dialog.getByRole('cell', { name: line, exact: true })).toBeVisible()
      await expectAccessible(page)
      await dialog.getByRole('button', { name: says.lines }).click()
      await expect(page.getByText(says.imported)).toBeVisible()
      await expect(dialog.getByRole('button', { name: says.enrolThose })).toBeVisible()
      await dialog.getByRole('button', { name: says.close, exact: true }).last().click()
      await search(page, `${of}-49`)
      await expect(page.getByRole('row').filter({ hasText: 'João 499' })).toHaveCount(1)
      await page.getByRole('columnheader').getByRole('checkbox').check()
      await page.getByRole('button', { name: says.enrolFound }).click()
      await dialog.getByRole('radio', { name: says.sheets }).check()
      await dialog.getByRole('button', { name: says.create }).click()
      await expect(dialog.getByRole('button', { name: says.print })).toBeVisible()
      // A page each, with what tells people of the same name apart.
      await page.emulateMedia({ media: 'print' })
      const sheets = page.locator('body > div:has(> ol)')
      await expect(sheets).toHaveCount(11)
      await expect(sheets.first()).toContainText(`${of}-49 · South`)
      await expect(sheets.first()).toHaveCSS('break-after', 'page')
      await page.emulateMedia({ media: 'screen' })
      // The codes are shown once: it asks before they are lost, unless they were printed.
      await page.keyboard.press('Escape')
      await page.getByRole('dialog', { name: says.unprinted }).press('Escape')
      await expect(page.getByRole('dialog', { name: says.unprinted })).toHaveCount(0)
      await expect(dialog.getByRole('button', { name: says.print })).toBeVisible()
      await page.evaluate(() => dispatchEvent(new Event('beforeprint')))
      await dialog.getByRole('button', { name: says.close, exact: true }).last().click()
      await expect(dialog).toHaveCount(0)

      // Before the total is counted, the box says that it selects the first rows.
      let count = () => {}
      const counted = new Promise<void>((resolve) => (count = resolve))
      await page.route(/\/users\?.*type=total/, async (route) => {
        await counted
        await route.continue()
      })
      await page.goto(at(locale, `/dashboard/devices/users?search=${encodeURIComponent(`${of}-`)}`))
      await page.getByRole('columnheader').getByRole('checkbox', { name: says.first100 }).click()
      await expect(page.getByText(says.selected)).toBeVisible()
      count()
      // All that match, loaded or not, with the filters in view.
      await page.getByRole('button', { name: says.selectMatching }).click()
      await expect(page.getByText(says.matching)).toBeVisible()
      await expect(page.locator('[data-list-search]')).toBeVisible()
      await page.getByRole('button', { name: says.change, exact: true }).click()
      await page.getByRole('menuitem', { name: says.move }).click()
      await dialog.getByRole('combobox', { name: says.group }).click()
      await page.getByRole('option', { name: 'North', exact: true }).click()
      await expect(dialog.getByText(says.effect)).toBeVisible()
      await expectAccessible(page)
      await dialog.getByRole('button', { name: says.apply, exact: true }).click()
      await expect(page.getByText(says.changed)).toBeVisible()
      expect(complaints).toEqual([])
    })

    test('ten people of an HR file receive codes by email, and the list says who opened the link', async ({
      page,
      browser,
    }) => {
      test.skip(noMail !== false, String(noMail))
      const complaints = watch(page)
      await openSession(page, locale, 'acme', 'alice', at(locale, '/dashboard'))
      const counter = clickCounter()
      const { click } = counter
      await click(page.getByRole('navigation').getByRole('link', { name: says.users, exact: true }))
      await click(page.getByRole('button', { name: says.import, exact: true }))
      const dialog = page.getByRole('dialog')
      const lines = Array.from(
        { length: 10 },
        (_, i) => `hr-${i};Hugo;Ten ${i};hr-${i}@bank.example;South;calls`,
      )
      const text = ['Staff no.;First name;Last name;E-mail;Department;Services', ...lines].join('\n')
      await page
        .locator('input[type=file]')
        .setInputFiles({ name: 'hr.csv', mimeType: 'text/csv', buffer: Buffer.from(text) })
      counter.clicks++
      await click(dialog.getByRole('button', { name: says.ten }))
      await click(dialog.getByRole('button', { name: says.enrolTen }))
      await click(dialog.getByRole('button', { name: says.send }))
      expect(counter.clicks).toBeLessThanOrEqual(8)
      for (const i of [0, 9])
        await expect.poll(() => mailsTo(`hr-${i}@bank.example`).length, { timeout: 60_000 }).toBe(1)
      const [link = ''] = /http\S+#\S+/.exec(mailsTo('hr-9@bank.example')[0]?.text ?? '') ?? []
      // Ten has no session.
      const context = await browser.newContext({ locale })
      const phone = await context.newPage()
      const complaintsOfPhone = watch(phone)
      const { pathname, hash } = new URL(link)
      await phone.goto(`${pathname}${hash}`)
      await expect(phone.getByRole('heading', { level: 1, name: says.enrolPhone })).toBeVisible()
      await expect(phone.locator('[data-enrolment]')).toContainText('"account_reference":"acme"')
      await expectAccessible(phone)
      await context.close()
      await visit(page, at(locale, '/dashboard/devices?tab=enrolments'))
      const row = (name: string) => page.getByRole('row').filter({ hasText: name })
      await expect(row('Hugo Ten 9')).toContainText(says.opened)
      await expect(row('Hugo Ten 8')).toContainText(says.invited)
      expect([...complaints, ...complaintsOfPhone]).toEqual([])
    })

    test('a lost device is found by its user, blocked and unblocked', async ({ page }) => {
      const complaints = watch(page)
      await openSession(page, locale, 'acme', 'alice')
      await page.getByRole('navigation').getByRole('link', { name: says.devices, exact: true }).click()
      await search(page, holder)
      const row = page.getByRole('row').filter({ hasText: holder })
      await expect(row).toHaveCount(1)
      await row.click()
      await expect(page.getByRole('heading', { level: 1, name: holder })).toBeVisible()
      await expect(page.getByRole('heading', { name: says.held })).toBeVisible()
      const numbers = page.getByRole('region', { name: says.numbers })
      await expect(numbers.getByText(/^\+\d{6}/).first()).toBeVisible()
      await expect(numbers.getByText(says.reported).first()).toBeVisible()
      const { width, height } = page.viewportSize() ?? { width: 1280, height: 720 }
      for (const narrow of [390, 320]) {
        await page.setViewportSize({ width: narrow, height })
        await expect.poll(() => widerBy(page), `wider than ${narrow}`).toBeLessThanOrEqual(0)
      }
      await page.setViewportSize({ width, height })
      await chooseAct(page, locale, says.lost)
      await page.getByRole('dialog').getByRole('button', { name: says.lost }).click()
      await expect(page.getByText(says.blocked).first()).toBeVisible()
      await chooseAct(page, locale, says.lift)
      await page.getByRole('dialog').getByRole('button', { name: says.lift }).click()
      await expect(page.getByText(says.deactivated).first()).toBeVisible()
      await page.getByRole('button', { name: WORDS[locale].acts }).click()
      await expect(page.getByRole('menuitem', { name: says.lost })).toBeVisible()
      expect(complaints).toEqual([])
    })

    test('the worklist labels are not cut on a phone screen', async ({ page }) => {
      await page.setViewportSize({ width: 390, height: 800 })
      await openSession(page, locale, 'acme', 'alice')
      const words = page.locator('main').getByRole('listitem').locator('span')
      await expect(words.filter({ hasText: says.calls }).first()).toBeVisible()
      const cut = () =>
        words.evaluateAll((spans) =>
          // Words for screen readers alone are one pixel wide, and boxes within a line have no width.
          spans
            .filter(({ scrollWidth, clientWidth }) => clientWidth > 1 && scrollWidth > clientWidth)
            .map((span) => span.textContent),
        )
      await expect.poll(cut).toEqual([])
      // The trends load when they are scrolled to.
      await page.mouse.wheel(0, 10_000)
      const tables = page.locator('main table')
      await expect(tables.nth(6)).toBeAttached()
      const widerThanFrame = () =>
        tables.evaluateAll(
          (all) =>
            all.filter(({ parentElement: frame }) => frame && frame.scrollWidth > frame.clientWidth).length,
        )
      await expect.poll(widerThanFrame).toBe(0)
    })

    test('a reviewer opens the recordings of a user’s devices', async ({ page }) => {
      const complaints = watch(page)
      await openSession(page, locale, 'acme', 'bob', at(locale, '/dashboard/devices/users/AC-1042'))
      await page.getByRole('link', { name: says.recordings, exact: true }).click()
      await expect(page.getByRole('row').nth(1)).toBeVisible()
      await page.getByRole('row').nth(1).click()
      await page.waitForURL(/\/services\/(calls|messages)\/[0-9A-Z]{26}|preview=/)
      expect(complaints).toEqual([])
    })
  })
}
