import { getLocales, inBoth } from './locales.ts'
import { at, openSession, watch, WORDS } from './person.ts'
import { expect, type Page, test } from './test.ts'

const TEXTS = inBoth(
  {
    remove: 'Remove the filter',
    presets: ['Yesterday', 'Last week', 'This month'],
    with: /^Call with /,
    activated: 'Activated',
    skip: 'Skip to content',
    search: /^Search in /,
  },
  {
    remove: 'Remover o filtro',
    presets: ['Ontem', 'Semana passada', 'Este mês'],
    with: /^Chamada com /,
    activated: 'Ativado',
    search: /^Buscar em /,
  },
)

const row = (page: Page, index: number) => page.locator(`[role=row][data-index="${index}"]`)
const search = (page: Page) => page.locator('[data-list-search]')

/** Delays a script of the portal until `arrive` is called. */
async function delay(page: Page, script: RegExp): Promise<() => void> {
  let arrive = () => {}
  const arrival = new Promise<void>((resolve) => (arrive = resolve))
  await page.route(script, async (route) => {
    await arrival
    await route.continue()
  })
  return arrive
}

/** In the page: presses N, and says whether the facts of the next recording are there without another task. */
async function showsNextAtOnce(): Promise<boolean> {
  const facts = () => [...document.querySelectorAll('main dl')].map((list) => list.textContent).join()
  const before = facts()
  document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'n', bubbles: true, cancelable: true }))
  for (let i = 0; i < 100 && facts() === before; i++) await Promise.resolve()
  return facts() !== before
}

for (const locale of getLocales(import.meta.url)) {
  test.describe(`a reviewer with a keyboard (${locale})`, () => {
    test.use({ locale })
    const words = WORDS[locale]
    const texts = TEXTS[locale]
    const calls = at(locale, '/dashboard/services/calls')

    test('loses no key press from the command menu to the search and the rows', async ({ page }) => {
      const complaints = watch(page)
      await openSession(page, locale, 'acme', 'alice', calls)
      await expect(row(page, 0)).toBeVisible()
      // The first stop skips the navigation, which has scrolled to its entry.
      await page.keyboard.press('Tab')
      await expect(page.getByRole('link', { name: texts.skip })).toBeFocused()
      await page.keyboard.press('Enter')
      await expect(page.locator('main')).toBeFocused()
      const arrive = await delay(page, /command-menu-.*\.js/)
      await page.keyboard.press('Control+k')
      await page.keyboard.type(words.messages.toLowerCase())
      arrive()
      await expect(page.locator('[id^=command-field]')).toHaveValue(words.messages.toLowerCase())
      await expect(page.getByRole('option', { name: words.messages }).first()).toBeVisible()
      await page.keyboard.press('Enter')
      // Page and filters are loading.
      await page.keyboard.press('/')
      await page.keyboard.type('+44')
      await page.waitForURL(/\/messages\?/)
      await expect(search(page)).toHaveValue('+44')
      await expect(search(page)).toBeFocused()
      // The first Escape closes suggestions, if any are open.
      await page.keyboard.press('Escape')
      await page.keyboard.press('Escape')
      await expect(search(page)).not.toBeFocused()
      // The title of a page that loads under the open menu leaves the focus there.
      const load = await delay(page, /reviews-screen-.*\.js/)
      await page
        .getByRole('navigation')
        .getByRole('link', { name: texts('Review coverage') })
        .click()
      await page.waitForURL(/\/reviews$/)
      await page.keyboard.press('Control+k')
      const field = page.getByRole('dialog').getByRole('combobox')
      await field.pressSequentially('acm')
      load()
      await expect(page.locator('output').filter({ hasText: texts('Review coverage') })).toBeAttached()
      await expect(field).toBeFocused()
      expect(complaints).toEqual([])
    })

    test('filters by time, sorts by header and removes filters without losing the focus', async ({
      page,
    }) => {
      const complaints = watch(page)
      await openSession(
        page,
        locale,
        'acme',
        'alice',
        `${calls}?states=Processed&payload_types=Call&groups=North`,
      )
      await expect(row(page, 0)).toBeVisible()
      for (const preset of texts.presets) {
        await page.locator('[data-list-filter]').first().click()
        await page.getByRole('button', { name: preset, exact: true }).click()
        await expect(
          page.getByRole('button', { name: new RegExp(`^${texts.remove} .*${preset}`) }),
        ).toBeVisible()
      }
      const chips = page.getByRole('button', { name: texts.remove })
      await expect(chips).toHaveCount(4)
      await chips.nth(0).focus()
      for (let left = 3; left > 0; left--) {
        await page.keyboard.press('Enter')
        await expect(chips).toHaveCount(left)
        await expect(chips.nth(0)).toBeFocused()
      }
      await page.keyboard.press('Enter')
      await expect(chips).toHaveCount(0)
      await expect(search(page)).toBeFocused()
      await page.keyboard.press('Escape')
      await expect(row(page, 0)).toBeFocused()

      const first = await row(page, 0).getAttribute('data-key')
      const header = page.getByRole('columnheader', { name: texts('Time'), exact: true })
      await expect(header).toHaveAttribute('aria-sort', 'descending')
      await header.getByRole('button').press('Enter')
      await expect(header).toHaveAttribute('aria-sort', 'ascending')
      await expect(page).toHaveURL(/order=oldest/)
      await expect(row(page, 0)).not.toHaveAttribute('data-key', first ?? '')
      await expect(header.getByRole('button')).toBeFocused()
      await page.keyboard.press('ArrowDown')
      await expect(row(page, 0)).toBeFocused()
      expect(complaints).toEqual([])
    })

    test('finds devices by group and state and removes a filter', async ({ page }) => {
      const complaints = watch(page)
      await openSession(page, locale, 'acme', 'alice', at(locale, '/dashboard/devices'))
      await expect(row(page, 0)).toBeVisible()
      const filter = (name: string) => page.locator('[data-list-filter]').filter({ hasText: name })
      const choose = async (name: string, typed: string) => {
        await expect(filter(name)).toBeFocused()
        await page.keyboard.press('Enter')
        await page.keyboard.type(typed)
        await expect(page.getByRole('textbox', { name: texts.search })).toHaveValue(typed)
        await expect(page.getByRole('option').first()).toContainText(typed)
        await page.keyboard.press('ArrowDown')
        await page.keyboard.press('Enter')
        await page.keyboard.press('Escape')
      }
      await page.keyboard.press('t')
      await expect(filter(texts('Group'))).toBeFocused()
      // On a busy computer a timer fires after the next keys: none may move the focus.
      await page.evaluate(() => {
        const { setTimeout } = window
        window.setTimeout = ((act: () => void, ms = 0) => setTimeout(act, ms + 500)) as typeof setTimeout
      })
      await choose(texts('Group'), 'North')
      await page.keyboard.press('Tab')
      // The focus stays where Tab moved it, after all timers.
      await page.evaluate(() => new Promise((resolve) => setTimeout(resolve)))
      await choose(texts('State'), texts.activated)
      await expect(page).toHaveURL(/(?=.*groups=)(?=.*states=)/)
      const chips = page.getByRole('button', { name: texts.remove })
      await expect(chips).toHaveCount(2)
      await expect(row(page, 0)).toContainText('North')
      await expect(filter(texts('State'))).toBeFocused()
      await chips.first().focus()
      await page.keyboard.press('Enter')
      await expect(chips).toHaveCount(1)
      await expect(chips.first()).toBeFocused()
      // Without results the title has the focus, until there are rows.
      await page.keyboard.press('/')
      await page.keyboard.type('no such phone')
      await expect(row(page, 0)).toHaveCount(0)
      await page.keyboard.press('Escape')
      await expect(page.getByRole('heading', { level: 1 })).toBeFocused()
      await page.keyboard.press('/')
      await page.keyboard.press('Control+a')
      await page.keyboard.press('Backspace')
      await page.keyboard.press('Escape')
      await expect(row(page, 0)).toBeFocused()
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Enter')
      await page.waitForURL(/\/devices\/[0-9A-Z]{26}/)
      // The overview loads later, with a title of its own.
      await expect(page.getByText(texts('Holders over time'))).toBeVisible()
      await expect(page.getByRole('heading', { level: 1 })).toBeFocused()
      // Back leads to the row, and so does the link, also from a tab, with the filter.
      await page.goBack()
      await expect(row(page, 1)).toBeFocused()
      await page.keyboard.press('Enter')
      await page.getByRole('link', { name: texts('Telemetry'), exact: true }).press('Enter')
      await page.waitForURL(/tab=telemetry/)
      await page.getByRole('link', { name: texts('All devices') }).click()
      await expect(page).toHaveURL(/\/devices\?states=/)
      await expect(row(page, 1)).toBeFocused()
      expect(complaints).toEqual([])
    })

    test('focuses and announces the title of a page whose code is still to load', async ({ page }) => {
      await openSession(page, locale, 'acme', 'alice', at(locale, '/dashboard'))
      for (const address of ['governance/retention', 'account/settings']) {
        await page.locator(`nav a[href$="${address}"]`).press('Enter')
        const title = page.getByRole('heading', { level: 1 })
        await expect(title).toBeFocused()
        await expect(page).toHaveURL(new RegExp(`${address}$`))
        await expect(page.locator('output[aria-live="polite"]').first()).toHaveText(await title.innerText())
      }
    })

    test('plays a call of a number in the last week with eight key presses', async ({ page }) => {
      const complaints = watch(page)
      await openSession(page, locale, 'acme', 'bob', `${calls}?payload_types=Call&from=-7d`)
      await expect(row(page, 0)).toBeVisible()
      const query = (await row(page, 0).getAttribute('data-key')) ?? ''
      // The last digits, as on a phone's display.
      const titles = await row(page, 0)
        .locator('[title]')
        .evaluateAll((all) => all.map((each) => each.getAttribute('title')))
      const ending = /\+\d{4,}(\d{4})/.exec(titles.join(' '))?.[1] ?? ''
      await page.goto(at(locale, '/dashboard'))
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
      let presses = 0
      const press = async (...keys: string[]) => {
        for (const key of keys) {
          presses++
          await page.keyboard.press(key)
        }
      }
      await press('Control+k', ...ending)
      await expect(page.locator('[id^=command-field]')).toHaveValue(ending)
      await expect(page.getByRole('option', { name: `“${ending}”` }).first()).toBeVisible()
      await press('Enter', 'w')
      await expect(page).toHaveURL(
        ({ searchParams }) => searchParams.get('search') === ending && searchParams.get('from') === '-7d',
      )
      await expect(page.locator(`[role=row][data-key="${query}"]`)).toBeVisible()
      await expect(page.locator('main [role=grid][aria-busy=true]')).toHaveCount(0)
      await press('p')
      await expect(page.getByRole('complementary').getByRole('button', { name: words.pause })).toBeVisible({
        timeout: 90_000,
      })
      expect(presses).toBe(8)
      expect(complaints).toEqual([])
    })

    test('plays five calls in nine key presses and skips two with two more', async ({ page }) => {
      const complaints = watch(page)
      await openSession(page, locale, 'acme', 'bob', `${calls}?payload_types=Call&states=Processed`)
      await expect(row(page, 4)).toBeVisible()
      let presses = 0
      const press = async (key: string) => {
        presses++
        await page.keyboard.press(key)
      }
      for (let i = 0; i < 5; i++) {
        if (i > 0) await press('j')
        await press('p')
        const key = (await row(page, i).getAttribute('data-key')) ?? ''
        await expect(page).toHaveURL(new RegExp(`preview=${key}`))
        await expect(page.getByRole('complementary', { name: texts.with })).toBeVisible()
        await expect(page.getByRole('complementary').getByRole('button', { name: words.pause })).toBeVisible()
      }
      expect(presses).toBe(9)

      await page.keyboard.press('Escape')
      await expect(page.getByRole('complementary')).toHaveCount(0)
      await page.keyboard.press('Home')
      await expect(row(page, 0)).toBeFocused()
      await page.keyboard.press('Enter')
      await page.waitForURL(/\/calls\/[0-9A-Z]{26}/)
      await expect(page.getByText(/^1 (of|de) /)).toBeVisible()
      // Both keys before the next page loads.
      await page.evaluate(() => {
        for (let i = 0; i < 2; i++)
          document.body.dispatchEvent(
            new KeyboardEvent('keydown', { key: 'n', bubbles: true, cancelable: true }),
          )
      })
      await expect(page.getByText(/^3 (of|de) /)).toBeVisible()
      // Facts that were fetched ahead show with the key press: only microtasks run before they are there. The pauses
      // leave a slow machine the time to fetch them.
      const intervals = [1_000, 4_000, 8_000, 8_000]
      await expect.poll(() => page.evaluate(showsNextAtOnce), { intervals }).toBe(true)

      await page.setViewportSize({ width: 320, height: 700 })
      await page.keyboard.press('?')
      const sheet = page.getByRole('dialog', { name: texts('Keyboard shortcuts') })
      await expect(sheet.getByText(texts('Space'), { exact: true })).toBeVisible()
      expect(await sheet.evaluate((dialog) => dialog.scrollWidth - dialog.clientWidth)).toBeLessThanOrEqual(0)
      expect(complaints).toEqual([])
    })
  })
}
