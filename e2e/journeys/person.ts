import { existsSync, readFileSync } from 'node:fs'
import type { Profile } from '@custodia/contract'
import { Browser } from '../../apps/server/src/testing/browser.ts'
import type { TakenMail } from '../../apps/server/src/testing/smtpd.ts'
import { painted } from '../painted.ts'
import { type Locale, inBoth } from './locales.ts'
import { demo, expect, type Locator, type Page } from './test.ts'

export type { Locale } from './locales.ts'

/** Labels in both languages. */
export const WORDS = inBoth(
  {
    continue: 'Continue',
    accept: /I accept the terms/,
    dashboard: 'Dashboard',
    calls: 'Calls',
    messages: 'Messages',
    play: /^Play\b(?! row)/,
    pause: /^Pause\b/,
    download: 'Download original',
    audit: 'Audit',
    access: 'Access',
    played: /played/i,
    downloaded: /downloaded/i,
    notFound: 'Data not found',
    conversation: 'Conversation',
    acts: 'More actions',
  },
  {
    accept: /Li e aceito os termos/,
    play: /^(Reproduzir|Ouvir|Tocar)\b(?! a linha)/,
    pause: /^Pausar\b/,
    played: /reproduzi|ouvi/i,
    downloaded: /baix/i,
  },
)

/** Path of a page in a language; English needs no prefix. */
export const at = (locale: Locale, path: string): string => (locale === 'pt-BR' ? `/pt-BR${path}` : path)

/** Opens a page inside the running portal, as a link does, and waits until it is drawn: a load costs much more. */
export async function visit(page: Page, path: string): Promise<void> {
  await page.evaluate(async (href) => {
    const { __TSR_ROUTER__: router } = window as unknown as {
      __TSR_ROUTER__: { navigate(to: { href: string }): Promise<void> }
    }
    await router.navigate({ href })
  }, path)
  await expect(page).toHaveURL((url) => url.pathname === new URL(path, url).pathname)
}

/** Mails to an address in the test's mail server. */
export function mailsTo(address: string): TakenMail[] {
  const file = process.env.MAILS ?? ''
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []
  return lines
    .flatMap((line) => (line === '' ? [] : [JSON.parse(line) as TakenMail]))
    .filter(({ to }) => to[0] === address)
}

/** Chooses an action in the overflow menu of a page. */
export async function chooseAct(page: Page, locale: Locale, name: string): Promise<void> {
  await page.getByRole('button', { name: WORDS[locale].acts }).click()
  await page.getByRole('menuitem', { name, exact: true }).click()
}

/** Signs a demo user in from the sign-in page, with the account filled in. */
export async function passSignInPages(page: Page, locale: Locale, user: string): Promise<void> {
  await page.getByRole('button', { name: WORDS[locale].continue }).click()
  await page.waitForURL(/\/oidc\//)
  await page.locator('input:not([type=hidden])').first().fill(user)
  await page.locator('input[type=password]').fill(`${user}-demo`)
  await page.locator('button[type=submit]').click()
}

/** Signs a demo user in through the pages and accepts the terms. Ends on the dashboard, or on the provider's overview for staff. */
export async function signIn(page: Page, locale: Locale, client: string, user: string): Promise<void> {
  const words = WORDS[locale]
  await page.goto(at(locale, `/sign-in?client=${client}`))
  await passSignInPages(page, locale, user)
  const terms = page.getByRole('checkbox', { name: words.accept })
  // Users without rights have an empty navigation.
  await expect(terms.or(page.locator('#main-navigation')).first()).toBeAttached()
  if (await terms.isVisible()) {
    await terms.check()
    await page.getByRole('button', { name: words.continue, exact: true }).click()
  }
  await page.waitForURL(/\/(dashboard|internal)/)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
}

/**
 * Opens a demo user's session without the sign-in pages.
 * @param path the final page, by default as for `signIn`; null: the caller opens one
 */
export async function openSession(
  page: Page,
  locale: Locale,
  client: string,
  user: string,
  path: string | null = at(locale, client === 'admin' ? '/internal' : '/dashboard'),
): Promise<void> {
  const browser = new Browser(demo().url)
  const { id_token, refresh_token } = await browser.signIn(client, user)
  const authorization = `Bearer ${id_token}`
  const { terms } = (await browser.profile(client, authorization)).body as unknown as Profile
  if (terms.accepted_at === null) {
    const accepted = await browser.json(`/admin/v1/api/${client}/profile/terms`, {
      method: 'PUT',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ version: terms.version }),
    })
    expect(accepted.status).toBe(200)
  }
  await page.context().addCookies(
    [...browser.cookies].map(([name, { value, host, path, attributes }]) => ({
      name,
      value,
      domain: host,
      path,
      httpOnly: /httponly/i.test(attributes),
    })),
  )
  // Any response of the origin gives access to its storage; this one starts no portal.
  await page.goto('/livez')
  await page.evaluate(
    (session) => localStorage.setItem('custodia.session', session),
    JSON.stringify({ client, handle: refresh_token }),
  )
  if (path === null) return
  await page.goto(path)
  await expect(page.getByRole('heading', { level: 1 }).first()).toBeVisible()
  await painted(page)
}

/** Clicks and counts, for journeys that promise a number of clicks. */
export function clickCounter() {
  const counter = {
    clicks: 0,
    async click(target: Locator) {
      await target.click()
      counter.clicks++
    },
  }
  return counter
}

/** Collects forbidden events: console errors and warnings, blocked resources, failed calls. */
export function watch(page: Page): string[] {
  const complaints: string[] = []
  page.on('console', (message) => {
    // A script without a URL belongs to the test: axe adds styles, and the CSP blocks them. The software driver of
    // headless Chromium reports that it reads each picture of a map.
    const { url } = message.location()
    if (message.text().includes('GPU stall due to ReadPixels')) return
    if (['error', 'warning'].includes(message.type()) && url !== '')
      complaints.push(`${page.url()}: ${message.text()} (${url})`)
  })
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`))
  page.on('response', (response) => {
    if (response.status() >= 500) complaints.push(`${response.status()} ${response.url()}`)
  })
  return complaints
}

/** Searches the list and waits for the results. */
export async function search(page: Page, text: string): Promise<void> {
  await page.locator('[data-list-search]').fill(text)
  await expect(page).toHaveURL((url) => url.searchParams.get('search') === text)
  await expect(page.locator('main [aria-busy=true]')).toHaveCount(0)
}

/** Pixels by which the content exceeds the window's width. */
export const widerBy = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
