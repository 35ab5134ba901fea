import type { Page as Answer, PayloadSummary } from '@custodia/contract'
import { expectAccessible } from './accessibility.ts'
import { getLocales, inBoth } from './locales.ts'
import { at, type Locale, openSession, watch, widerBy, WORDS } from './person.ts'
import { expect, type Page, test } from './test.ts'

const SAYS = inBoth(
  {
    in: 'in',
    calls: /^[\d,]+ calls?(?: or more)?$/,
    yesterday: 'yesterday 14:30',
    person: 'Device user · AC-1042',
    device: /^Harriet Cole\s*Device · /,
  },
  {
    in: 'em',
    calls: /^[\d.]+ chamadas?(?: ou mais)?$/,
    yesterday: 'ontem às 14h30',
    person: 'Usuário de dispositivo · AC-1042',
    device: /^Harriet Cole\s*Dispositivo · /,
  },
)

const field = (page: Page, locale: Locale) => page.getByRole('combobox', { name: SAYS[locale]('Go to…') })
const option = (page: Page, name: string | RegExp) => page.getByRole('option', { name })

/** Opens the command menu, types, and waits for all answers. */
async function look(page: Page, locale: Locale, typed: string): Promise<void> {
  await page.keyboard.press('Control+k')
  await field(page, locale).fill(typed)
  await answered(page)
}
const answered = (page: Page) =>
  expect(page.getByRole('dialog').getByText(/^(Searching|Buscando)…$/)).toHaveCount(0)

/** The newest item of a list that has a number with a name. */
async function someItem(page: Page, locale: Locale, service: 'calls' | 'messages', query = '') {
  // The previous page polls the same list, and navigation aborts its requests.
  await page.goto('/livez')
  const answer = page.waitForResponse(
    (response) =>
      response.url().includes(`service=${service}`) &&
      /\/payloads\?/.test(response.url()) &&
      !response.url().includes('type=total'),
  )
  await page.goto(at(locale, `/dashboard/services/${service}?states=Processed${query}`))
  const { data } = (await (await answer).json()) as Answer<PayloadSummary>
  // The page handles keys from now on.
  await expect(page.locator('[role=row][data-index="0"]')).toBeVisible()
  for (const item of data) {
    const { phone_number: number, contact_name: name } = item.parties?.[0] ?? {}
    if (number && name && /^\+\d{10,}$/.test(number)) return { ...item, number, name }
  }
  throw new Error('the demo has no such item')
}

/** Count on an option, and the total of the list that Enter opens. */
async function compare(page: Page, locale: Locale, typed: string, list: string): Promise<void> {
  // New recordings may arrive meanwhile.
  await expect(async () => {
    await look(page, locale, typed)
    const found = option(page, list)
    const count = await found.locator('.tabular').innerText()
    while ((await found.getAttribute('aria-selected')) !== 'true') await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL((url) => url.searchParams.get('search') === typed)
    await expect(page.locator('h1 + .tabular')).toHaveText(count, { timeout: 5_000 })
  }).toPass()
}

for (const locale of getLocales(import.meta.url)) {
  test.describe(`the command menu (${locale})`, () => {
    test.use({ locale })
    const says = SAYS[locale]
    const words = WORDS[locale]

    test('leads from a number to lists with the announced counts, and from a name to the calls of the person', async ({
      page,
    }) => {
      const complaints = watch(page)
      await openSession(page, locale, 'acme', 'alice', null)
      for (const service of ['messages', 'calls'] as const) {
        const { number } = await someItem(page, locale, service)
        await compare(page, locale, number, `“${number}” ${says.in} ${words[service]}`)
      }
      const { number, name } = await someItem(page, locale, 'calls')
      await look(page, locale, name.split(' ').at(-1) ?? '')
      await option(page, name).filter({ hasText: words.calls }).first().click()
      await expect(page).toHaveURL((url) => url.searchParams.get('search') === number)
      await expect(page.locator('[role=row][data-index]').filter({ hasText: name }).first()).toBeVisible()
      await look(page, locale, number.slice(-6))
      await expect(option(page, words.calls).locator('.tabular').first()).toBeVisible()
      await expect(field(page, locale)).toHaveAttribute('aria-expanded', 'true')
      for (const width of [1280, 390, 320]) {
        await page.setViewportSize({ width, height: 800 })
        await expect.poll(() => widerBy(page)).toBeLessThanOrEqual(0)
        await expectAccessible(page, { part: '[role=dialog]' })
      }
      expect(complaints).toEqual([])
    })

    test('leads from a reference to its recording, of a conversation to its last message, and finds none without access', async ({
      page,
      browser,
    }) => {
      const complaints = watch(page)
      await openSession(page, locale, 'acme', 'alice', null)
      const { payload_reference } = await someItem(page, locale, 'calls', '&payload_types=Call&groups=South')
      await look(page, locale, payload_reference.slice(0, 22))
      await expect(option(page, payload_reference)).toBeVisible()
      await look(page, locale, payload_reference)
      await expect(option(page, payload_reference)).toHaveAttribute('aria-selected', 'true')
      await page.keyboard.press('Enter')
      await page.waitForURL(new RegExp(`/calls/${payload_reference}`))
      const { thread_id } = await someItem(page, locale, 'messages')
      await look(page, locale, thread_id ?? '')
      await expect(option(page, words.conversation).first()).toHaveAttribute('aria-selected', 'true')
      await page.keyboard.press('Enter')
      await page.waitForURL(/\/messages\/[0-9A-Z]{26}/)
      expect(complaints).toEqual([])

      const other = await (await browser.newContext({ locale, reducedMotion: 'reduce' })).newPage()
      await openSession(other, locale, 'acme', 'bob')
      // Hidden and missing items look alike.
      for (const reference of [payload_reference, `${payload_reference.slice(0, -4)}ZZZZ`]) {
        await look(other, locale, reference)
        await expect(other.getByRole('status').getByText(says('Nothing found'))).toBeVisible()
        await expect(other.getByRole('option')).toHaveCount(0)
        await other.keyboard.press('Escape')
        await expect(other.getByRole('dialog')).toHaveCount(0)
      }
      await other.context().close()
    })

    test('leads from a time to the list around it', async ({ page }) => {
      const complaints = watch(page)
      await openSession(page, locale, 'acme', 'alice', null)
      const { payload_reference, payload_time, listed_at } = await someItem(
        page,
        locale,
        'calls',
        '&payload_types=Call',
      )
      const typed = await page.evaluate((seconds) => {
        const two = (value: number) => String(value).padStart(2, '0')
        const day = new Date(seconds * 1000)
        return `${two(day.getDate())}/${two(day.getMonth() + 1)}/${day.getFullYear()} ${two(day.getHours())}:${two(day.getMinutes())}`
      }, listed_at ?? payload_time)
      await look(page, locale, typed)
      await expect(option(page, words.calls).locator('.tabular')).toBeVisible()
      await expect(option(page, words.audit)).toBeVisible()
      await expect(option(page, words.calls)).toHaveAttribute('aria-selected', 'true')
      await page.keyboard.press('Enter')
      await expect(page).toHaveURL((url) => url.searchParams.has('from') && url.searchParams.has('to'))
      await expect(page.locator(`[role=row][data-key="${payload_reference}"]`)).toBeVisible()

      await look(page, locale, says.yesterday)
      await option(page, words.audit).click()
      await expect(page).toHaveURL((url) => url.searchParams.get('from')?.endsWith('T14:00') === true)
      expect(complaints).toEqual([])
    })

    test('leads from a word to people, devices and pages', async ({ page }) => {
      const complaints = watch(page)
      await openSession(page, locale, 'acme', 'alice')
      await look(page, locale, 'galaxy')
      await expect(option(page, /Samsung Galaxy/).first()).toBeVisible()
      await option(page, says('All devices with “{0}”').replace('{0}', 'galaxy')).click()
      await expect(page).toHaveURL(/\/dashboard\/devices\?search=galaxy/)
      await expect(page.locator('[role=row][data-index="3"]')).toContainText('Samsung Galaxy')
      const harriet = page.getByRole('heading', { level: 1, name: 'Harriet Cole' })
      await look(page, locale, 'harriet.cole@')
      await option(page, says.person).click()
      await expect(page).toHaveURL(/\/dashboard\/devices\/users\/AC-1042/)
      await expect(harriet).toBeVisible()
      await look(page, locale, 'harriet')
      await option(page, says.device).first().click()
      await expect(page).toHaveURL(/\/dashboard\/devices\/[^/]+$/)
      await expect(harriet).toBeVisible()
      await look(page, locale, 'GPS')
      await option(page, /^Mapa?\b/).click()
      await expect(page).toHaveURL(/\/dashboard\/devices\?tab=map$/)
      expect(complaints).toEqual([])
    })

    test('drops results of earlier input and reports a failed search', async ({ page }) => {
      await openSession(page, locale, 'acme', 'alice')
      await look(page, locale, 'harriet')
      await expect(option(page, 'Harriet Cole').first()).toBeVisible()
      let arrive = () => {}
      const arrival = new Promise<void>((resolve) => (arrive = resolve))
      await page.route(/\/(?:users|devices|suggestions)\?/, async (route) => {
        await arrival
        await route.continue()
      })
      const asked = page.waitForRequest(/\/users\?.*search=imran/)
      await field(page, locale).fill('imran')
      await asked
      await expect(option(page, 'Harriet Cole')).toHaveCount(0)
      arrive()
      await expect(option(page, 'Imran').first()).toBeVisible()
      await page.unrouteAll()

      await page.route(/\/payloads\/totals\?/, (route) => route.fulfill({ status: 500, body: '' }))
      await look(page, locale, 'harrie')
      await expect(option(page, says('Retry'))).toBeVisible()
      await expect(option(page, 'Harriet Cole').first()).toBeVisible()
      await page.unrouteAll()
      while ((await option(page, says('Retry')).getAttribute('aria-selected')) !== 'true')
        await page.keyboard.press('ArrowUp')
      await page.keyboard.press('Enter')
      await expect(option(page, words.calls).locator('.tabular').first()).toBeVisible()
      await expect(option(page, says('Retry'))).toHaveCount(0)
      // The beginning of a number.
      for (const typed of ['+44 770', '0770']) {
        await look(page, locale, typed)
        await expect(option(page, words.calls).locator('.tabular').first()).toBeVisible()
        await expect(option(page, 'Harriet Cole').first()).toBeVisible()
      }
      // A person who uses the portal.
      await look(page, locale, 'bob')
      await expect(option(page, 'Bob Singh')).toBeVisible()
    })

    test('a call page shows other recordings of its number on request', async ({ page }) => {
      const complaints = watch(page)
      await openSession(page, locale, 'acme', 'alice', null)
      const { number } = await someItem(page, locale, 'calls', '&payload_types=Call')
      const asked: string[] = []
      page.on('request', (request) => {
        if (request.url().includes('/contacts?')) asked.push(request.url())
      })
      await page.locator('[role=row][data-index="0"]').getByRole('link').first().click()
      await page.waitForURL(/\/calls\/[0-9A-Z]{26}/)
      const facts = page.getByRole('region', { name: /^(Details|Detalhes)$/ })
      const ask = facts.getByRole('button', { name: says('Other recordings of this number') })
      await expect(ask.first()).toHaveAttribute('aria-expanded', 'false')
      expect(asked).toEqual([])
      await ask.first().click()
      await expect(ask.first()).toHaveAttribute('aria-expanded', 'true')
      await expect(facts.getByRole('link', { name: says.calls }).first()).toBeVisible()
      expect(asked.length).toBeGreaterThan(0)
      await expectAccessible(page, { part: 'main' })

      const before = asked.length
      await page.keyboard.press('n')
      await expect(facts.getByRole('link', { name: says.calls }).first()).toBeVisible()
      await expect.poll(() => asked.length).toBeGreaterThanOrEqual(before)

      await look(page, locale, number)
      await option(page, words.calls).first().click()
      await page.locator('[role=row][data-index="0"]').getByRole('link').first().click()
      await page.waitForURL(/\/calls\/[0-9A-Z]{26}/)
      await expect(async () => {
        const link = facts.getByRole('link', { name: says.calls }).first()
        const count = /[\d.,]+/.exec(await link.innerText())?.[0] ?? ''
        await link.click()
        await page.waitForURL(/\/calls\?/)
        await expect(page.locator('h1 + .tabular')).toHaveText(count, { timeout: 5_000 })
      }).toPass()
      expect(complaints).toEqual([])
    })
  })
}
