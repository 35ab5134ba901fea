import { expectAccessible } from './accessibility.ts'
import { englishOnly, type Locale, LOCALES, getLocales } from './locales.ts'
import { at, openSession, visit, watch, widerBy } from './person.ts'
import { expect, type Page, test } from './test.ts'

export interface Screen {
  path: string
  /** Opens a record of the list at `path`: the screen is that of the record. */
  isRecord?: boolean
  /** Whether axe runs at both widths and in both colour schemes. */
  isExample?: boolean
}

/** Screens of one user; without `user` they need no session. */
export interface Area {
  user?: [client: string, user: string]
  screens: readonly Screen[]
}

const WIDE = 1440
const NARROW = 390
/** Narrower than current phones; content must not be cut off, and is accessible. */
const NARROWEST = 320
const SCHEMES = ['light', 'dark'] as const
type Scheme = (typeof SCHEMES)[number]
/** Milliseconds until a refetching page settles. */
const PATIENCE = 30_000

/** Declares the journeys through an area's screens: axe and layout in the run's languages, and each screen opens in the others. */
export function testScreens(name: string, file: string, { user, screens }: Area): void {
  const chosen = getLocales(file)
  for (const locale of LOCALES)
    test.describe(locale, () => {
      test.use({ locale })

      test(name, async ({ page }) => {
        const complaints = watch(page)
        if (user) await openSession(page, locale, ...user, null)
        const check = chosen.includes(locale) ? inspect : glance
        for (const [i, screen] of screens.entries()) await check(page, locale, screen, i)
        expect(complaints).toEqual([])
      })
    })
}

/** Loaded from its address unless it is a variant: visible, in the right language, and no wider than a phone. */
async function glance(page: Page, locale: Locale, screen: Screen, index: number): Promise<void> {
  await page.setViewportSize({ width: NARROW, height: 900 })
  const isVariant = index > 0 && screen.path.includes('?')
  await open(page, screen, (path) =>
    isVariant ? visit(page, at(locale, path)) : page.goto(at(locale, path)),
  )
  await expectLanguage(page, locale, screen)
  await expectToFit(page, screen, NARROW)
}

/** As `glance`, but reached inside the portal; plus axe: once, at an alternating width and colour scheme; marked screens in all four variants. */
async function inspect(page: Page, locale: Locale, screen: Screen, index: number): Promise<void> {
  const widths = index % 2 === 0 ? [WIDE, NARROWEST] : [NARROWEST, WIDE]
  const schemes = index % 4 < 2 ? SCHEMES : SCHEMES.toReversed()
  await page.setViewportSize({ width: NARROWEST, height: 900 })
  // A page that opens in its colours is painted once.
  await page.emulateMedia({ colorScheme: schemes[0] })
  await open(page, screen, (path) =>
    index === 0 ? page.goto(at(locale, path)) : visit(page, at(locale, path)),
  )
  await expectLanguage(page, locale, screen)
  await expectToFit(page, screen, NARROWEST)
  for (const width of screen.isExample ? widths : widths.slice(0, 1)) {
    await page.setViewportSize({ width, height: 900 })
    for (const [i, scheme] of (screen.isExample ? schemes : schemes.slice(0, 1)).entries())
      await expectCleanAt(page, screen, { width, scheme, isColoursOnly: i > 0 })
  }
}

interface Shape {
  width: number
  scheme: Scheme
  isColoursOnly: boolean
}

async function expectCleanAt(
  page: Page,
  screen: Screen,
  { width, scheme, isColoursOnly }: Shape,
): Promise<void> {
  await page.emulateMedia({ colorScheme: scheme })
  // Some content loads when it comes into view.
  for (const to of [1e6, 0]) {
    await page.evaluate((top) => scrollTo(0, top), to)
    await settled(page)
  }
  await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', scheme)
  await settled(page)
  await expectToFit(page, screen, width)
  // Refetching rows are faint: a violation counts only if it persists.
  await expect(async () => {
    await settled(page)
    await expectAccessible(page, { isColoursOnly, place: `${screen.path} at ${width}, ${scheme}` })
  }).toPass({ timeout: PATIENCE })
}

async function open(
  page: Page,
  { path, isRecord }: Screen,
  to: (path: string) => Promise<unknown>,
): Promise<void> {
  await to(path)
  if (isRecord) {
    await settled(page)
    // On a phone a row opens its page; on a desktop its preview first.
    await page.locator('[role=row][data-index="0"]').getByRole('link').first().click()
    await page.waitForURL(/\/[0-9A-Z]{26}/)
    // A tooltip under the pointer would be content outside all landmarks.
    await page.mouse.move(0, 0)
  }
  await settled(page)
}

/** English phrases, except those that the demo has as names of groups and reports. */
const WORDS = englishOnly().filter(
  (phrase) => !['Unassigned', 'Staff', 'Battery', 'Network', 'alerts', 'devices'].includes(phrase),
)

/** A page whose area lacks a phrase shows it in English. */
async function expectLanguage(page: Page, locale: Locale, { path }: Screen): Promise<void> {
  await expect(page.locator('html')).toHaveAttribute('lang', locale)
  if (locale === 'en-GB') return
  const english = await page.locator('body').evaluate((body, phrases) => {
    const walker = document.createTreeWalker(body, NodeFilter.SHOW_TEXT)
    const shown = new Set<string>()
    while (walker.nextNode()) shown.add(walker.currentNode.textContent?.trim() ?? '')
    for (const name of ['aria-label', 'placeholder'])
      for (const element of body.querySelectorAll(`[${name}]`)) shown.add(element.getAttribute(name) ?? '')
    return phrases.filter((phrase) => shown.has(phrase))
  }, WORDS)
  expect(english, `${path} has texts in English`).toEqual([])
}

async function expectToFit(page: Page, { path }: Screen, width: number): Promise<void> {
  await expect.poll(() => widerBy(page), `${path} scrolls sideways at ${width}`).toBeLessThanOrEqual(0)
  await expect.poll(() => cutCells(page), `${path} cuts texts to a letter at ${width}`).toEqual([])
}

/** Texts of list rows of which hardly a letter is visible. */
const cutCells = (page: Page) =>
  page.locator('main [role=row][data-index] [role=gridcell]').evaluateAll((cells) =>
    cells
      .filter(({ clientWidth, scrollWidth }) => clientWidth < 40 && scrollWidth > clientWidth + 1)
      .map((cell) => cell.textContent)
      .filter((text) => text !== ''),
  )

/** The content is visible and complete. */
async function settled(page: Page): Promise<void> {
  await expect(page.getByRole('main')).toBeInViewport()
  await expect(page.getByRole('heading', { level: 1 }).first()).toBeVisible()
  await expect(page.locator('main [aria-busy=true], main .mantine-Skeleton-root')).toHaveCount(0)
}
