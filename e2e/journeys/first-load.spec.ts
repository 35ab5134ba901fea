import { openSession, watch, WORDS } from './person.ts'
import { type Browser, type BrowserContext, expect, type Locator, type Page, test } from './test.ts'

/** Maximum requests of a page, HTML and data included. */
const MAX_REQUESTS = 20
/** Maximum layout shift of a page while it loads; 1 moves the whole window by its own height. */
const MAX_SHIFT = 0.02
const words = WORDS['en-GB']
const CALLS = '/dashboard/services/calls'

/** A browser with a user's session only. */
async function freshBrowser(browser: Browser, from: BrowserContext): Promise<BrowserContext> {
  return browser.newContext({ storageState: await from.storageState(), reducedMotion: 'reduce' })
}

const rows = (page: Page) => page.getByRole('row').filter({ has: page.getByRole('link') })

/** Adds up in the page how far its parts move. */
function addUpShifts(): void {
  Object.assign(globalThis, { shifted: 0 })
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries())
      Object.assign(globalThis, { shifted: Reflect.get(globalThis, 'shifted') + Reflect.get(entry, 'value') })
  }).observe({ type: 'layout-shift', buffered: true })
}

test('a page loads with at most 20 requests and does not move', async ({ browser, page }) => {
  await openSession(page, 'en-GB', 'acme', 'alice', `${CALLS}?states=Processed`)
  const call = (await rows(page).first().getByRole('link').first().getAttribute('href')) ?? ''
  // A call in preparation has no player yet.
  await page.goto(call)
  await expect(page.getByRole('button', { name: words.play })).toBeVisible({ timeout: 90_000 })
  const pages: [path: string, isThere: (opened: Page) => Promise<void>][] = [
    ['/', (opened) => expect(opened.getByRole('heading', { level: 1 })).toBeVisible()],
    ['/sign-in', (opened) => expect(opened.getByRole('button', { name: /^bob/ })).toBeVisible()],
    ['/dashboard', (opened) => expect(opened.getByRole('link', { name: words.play }).first()).toBeVisible()],
    [CALLS, (opened) => expect(rows(opened).first()).toBeVisible()],
    ...['access/groups', 'account/alerts?view=all', 'account/audit'].map(
      (path): [string, (opened: Page) => Promise<void>] => [
        `/dashboard/${path}`,
        (opened) => expect(opened.getByRole('row').nth(1)).toBeVisible(),
      ],
    ),
    [call, (opened) => expect(opened.getByRole('button', { name: words.play })).toBeVisible()],
    [
      '/dashboard/devices?tab=map',
      (opened) => expect(opened.locator('[data-drawn]')).toBeVisible({ timeout: 60_000 }),
    ],
  ]
  let signedIn = page.context()
  for (const [path, isThere] of pages) {
    const context = await (path.startsWith('/dashboard')
      ? freshBrowser(browser, signedIn)
      : browser.newContext())
    const opened = await context.newPage()
    await opened.addInitScript(addUpShifts)
    const complaints = watch(opened)
    const asked: string[] = []
    opened.on('request', (request) => asked.push(request.url()))
    await opened.goto(path)
    await isThere(opened)
    await opened.waitForLoadState('networkidle')
    expect(asked.length, `${path}:\n${asked.join('\n')}`).toBeLessThanOrEqual(MAX_REQUESTS)
    expect(await opened.evaluate(() => Number(Reflect.get(globalThis, 'shifted'))), path).toBeLessThan(
      MAX_SHIFT,
    )
    expect(complaints).toEqual([])
    // Loading a page renews the session cookie.
    if (path.startsWith('/dashboard')) signedIn = context
  }
})

/** Opens a page in a new browser and resolves to how far its parts move while it loads. */
async function getShift(browser: Browser, page: Page, path: string, isThere: (opened: Page) => Locator) {
  const opened = await (await freshBrowser(browser, page.context())).newPage()
  await opened.setViewportSize({ width: 390, height: 844 })
  await opened.addInitScript(addUpShifts)
  // A new account has its setup before it.
  await opened.route(/\/dashboard\?client=/, async (route) => {
    const response = await route.fetch()
    await route.fulfill({
      response,
      json: { ...(await response.json()), open_steps: ['groups', 'people', 'devices', 'retention'] },
    })
  })
  await opened.goto(path)
  await expect(isThere(opened)).toBeVisible()
  await opened.waitForLoadState('networkidle')
  const shift = await opened.evaluate(() => Number(Reflect.get(globalThis, 'shifted')))
  await opened.context().close()
  return shift
}

test('the home page of a new account and the statistics do not move on a narrow screen', async ({
  browser,
  page,
}) => {
  await openSession(page, 'en-GB', 'acme', 'alice')
  const steps = (opened: Page) => opened.getByRole('heading', { name: 'Set up the account' })
  expect(await getShift(browser, page, '/dashboard', steps)).toBeLessThan(MAX_SHIFT)
  const provider = await (await browser.newContext()).newPage()
  await openSession(provider, 'en-GB', 'admin', 'dave')
  const records = (opened: Page) => opened.getByRole('heading', { name: 'Records', exact: true })
  expect(await getShift(browser, provider, '/internal/statistics', records)).toBeLessThan(MAX_SHIFT)
})

test('a list requests its rows in parallel with the profile and shows nothing before it', async ({
  browser,
  page,
}) => {
  await openSession(page, 'en-GB', 'acme', 'bob', CALLS)
  await expect(rows(page).first()).toBeVisible()
  const opened = await (await freshBrowser(browser, page.context())).newPage()
  const isRows = (url: string) => /\/payloads\?/.test(url) && !url.includes('type=total')
  const answered = opened.waitForResponse((response) => isRows(response.url()))
  await opened.route('**/profile?*', async (route) => {
    // The profile arrives after the rows.
    await (await answered).finished()
    await expect(opened.locator('#main-navigation')).toHaveCount(0)
    await expect(opened.getByRole('row')).toHaveCount(0)
    await route.continue()
  })
  let asked = 0
  opened.on('request', (request) => (asked += Number(isRows(request.url()))))
  await opened.goto(CALLS)
  await expect(rows(opened).first()).toBeVisible()
  expect(asked).toBe(1)
})

test('session, profile and first data are requested once, before any script loads', async ({
  browser,
  page,
}) => {
  // This page stores the permissions.
  await openSession(page, 'en-GB', 'acme', 'bob', CALLS)
  const call = (await rows(page).first().getByRole('link').first().getAttribute('href')) ?? ''
  let signedIn = page.context()
  const firsts = {
    [call]: /\/payloads\/[\w-]+\?client=/,
    '/dashboard': /\/dashboard\?client=/,
    [CALLS]: /\/payloads\?client=.*service=calls&limit=/,
    '/dashboard/services/messages': /\/payloads\?client=.*service=messages&limit=/,
    '/dashboard/services/interviews': /\/payloads\?client=.*service=interviews&limit=/,
    '/dashboard/services/photos': /\/payloads\?client=.*service=photos&limit=/,
    '/dashboard/services/videos': /\/payloads\?client=.*service=videos&limit=/,
    '/dashboard/services/diagnostics': /\/payloads\?client=.*service=diagnostics&limit=/,
  }
  for (const [path, first] of Object.entries(firsts)) {
    const context = await freshBrowser(browser, signedIn)
    const opened = await context.newPage()
    const complaints = watch(opened)
    const asked: string[] = []
    const early = [/\/exchange\?/, /\/profile\?/, first]
    opened.on('request', (request) => {
      const found = early.findIndex((each) => each.test(request.url()))
      if (found >= 0) asked.push(String(found))
    })
    const answered = opened.waitForResponse((response) => first.test(response.url()))
    await opened.route('**/assets/*.js', async (route) => {
      await answered
      await route.continue()
    })
    await opened.goto(path)
    await expect(opened.getByRole('heading', { level: 1 })).toBeVisible()
    await opened.waitForLoadState('networkidle')
    expect(asked.toSorted(), path).toEqual(['0', '1', '2'])
    expect(complaints).toEqual([])
    signedIn = context
  }
})

test('the dashboard counts its numbers with one request', async ({ page }) => {
  await openSession(page, 'en-GB', 'acme', 'bob', CALLS)
  await expect(rows(page).first()).toBeVisible()
  const counting: string[] = []
  page.on('request', (request) => {
    if (/\/payloads(?:\/totals)?\?/.test(request.url()) && /total/.test(request.url()))
      counting.push(request.url())
  })
  const answer = page.waitForResponse((response) => response.url().includes('/payloads/totals?'))
  // The first paint needs its texts, and does not delay the request.
  await page.route(/\/assets\/(?:en-GB|pt-BR)-[^/]+\.js/, async (route) => {
    await answer
    await route.continue()
  })
  await page.goto('/dashboard')
  const { totals } = (await (await answer).json()) as { totals: { total: number }[] }
  // Its last counts are the totals and the new recordings of each service.
  const links = page.locator('[aria-labelledby=recordings-title] tbody').getByRole('link')
  const services = totals.length / 4
  for (let i = 0; i < services; i++) {
    const [all, fresh] = [totals[2 * services + i], totals[3 * services + i]]
    await expect(links.nth(2 * i)).toHaveText(String(fresh?.total.toLocaleString('en-GB')))
    await expect(links.nth(2 * i + 1)).toHaveText(String(all?.total.toLocaleString('en-GB')))
  }
  expect(counting).toHaveLength(1)
})
