import AxeBuilder from '@axe-core/playwright'
import { expect, type Page, test } from '@playwright/test'
import { at, type Locale, openSession, watch, widerBy } from './person.ts'

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
const PUBLIC = ['/', '/sign-in', '/cookies', '/privacy', '/terms', '/nothing']
const INSIDE = [
  '/dashboard',
  '/dashboard/services',
  '/dashboard/services?tab=retention',
  '/dashboard/services?tab=holds',
  '/dashboard/services/calls',
  '/dashboard/services/messages',
  '/dashboard/services/interviews',
  '/dashboard/services/photos',
  '/dashboard/services/videos',
  '/dashboard/services/diagnostics',
  '/dashboard/services/comments',
  '/dashboard/services/words',
  '/dashboard/devices',
  '/dashboard/devices?is_waiting=true',
  '/dashboard/devices?tab=enrolments',
  '/dashboard/devices?tab=commands',
  '/dashboard/devices?tab=telemetry',
  '/dashboard/devices?tab=capture',
  '/dashboard/devices?tab=map',
  '/dashboard/devices/logs',
  '/dashboard/devices/metrics',
  '/dashboard/devices/metrics?scope=Monthly',
  '/dashboard/devices/users',
  '/dashboard/devices/users/Harriet%20Cole',
  '/dashboard/devices/users/Harriet%20Cole?tab=recordings',
  '/dashboard/devices/users/Harriet%20Cole?tab=gps&from=-7d',
  '/dashboard/access/groups',
  '/dashboard/access/roles',
  '/dashboard/access/roles?tab=defaults',
  '/dashboard/access/roles/create',
  '/dashboard/access/roles/Compliance%20Reviewer',
  '/dashboard/access/tags',
  '/dashboard/account/alerts?view=all',
  '/dashboard/account/audit',
  '/dashboard/account/audit?tab=devices',
  '/dashboard/account/apps',
  '/dashboard/account/support-access',
  '/dashboard/account/licenses',
]
const INTERNAL = [
  '/internal',
  '/internal?tab=staff',
  '/internal/support',
  '/internal/licenses',
  '/internal/alerts',
  '/internal/carriers',
  '/internal/statistics',
  '/internal/statistics?tab=telemetry',
]
/** Many pages, each looked at by axe in several shapes. */
const LONG = 900_000
/** Milliseconds in which a page has come to rest. */
const PATIENCE = 30_000
const WIDTHS = [1440, 390]
/** Narrower than any phone of today; what matters there is that nothing is cut off. */
const NARROWEST = 320
const SCHEMES = ['light', 'dark'] as const
/** What colours can do wrong; all else is the same in both of them. */
const OF_COLOURS = ['color-contrast', 'link-in-text-block']

/** Nothing for axe to find, the content in view, and no sideways scrolling; at each width, light and dark. */
async function inspect(page: Page, path: string, widths: readonly number[]): Promise<void> {
  await fits(page, path)
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 })
    for (const colorScheme of SCHEMES) {
      await page.emulateMedia({ colorScheme })
      await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', colorScheme)
      const place = `${path} at ${width}, ${colorScheme}`
      await settled(page)
      await expect.poll(() => widerBy(page), `${place} scrolls sideways`).toBeLessThanOrEqual(0)
      // Rows may be read again while axe looks, and are faint until they are there: what it finds then must be there afterwards, too.
      await expect(async () => {
        await settled(page)
        // Nothing here is framed from elsewhere; without a page of its own for its report, axe takes half the time.
        const axe = new AxeBuilder({ page }).setLegacyMode()
        const { violations } = await (
          colorScheme === 'light' ? axe.withTags(RULES) : axe.withRules(OF_COLOURS)
        ).analyze()
        expect(
          violations.map(
            ({ id, nodes }) => `${place}: ${id} ${nodes.map((node) => node.target.join(' ')).join(', ')}`,
          ),
        ).toEqual([])
      }).toPass({ timeout: PATIENCE })
    }
  }
}

/** No sideways scrolling on the narrowest of screens. */
async function fits(page: Page, path: string): Promise<void> {
  await page.setViewportSize({ width: NARROWEST, height: 900 })
  await settled(page)
  await expect.poll(() => widerBy(page), `${path} scrolls sideways at ${NARROWEST}`).toBeLessThanOrEqual(0)
}

/** The content is in view, and nothing of it is still to come. */
async function settled(page: Page): Promise<void> {
  await expect(page.getByRole('main')).toBeInViewport()
  await expect(page.getByRole('heading', { level: 1 }).first()).toBeVisible()
  await page.waitForLoadState('networkidle')
  await expect(page.locator('main [aria-busy=true], main .mantine-Skeleton-root')).toHaveCount(0)
}

for (const locale of ['en-GB', 'pt-BR'] as const satisfies Locale[]) {
  // The next page loads at the width at which the one before ended: in one language narrow, in the other wide.
  const widths = locale === 'en-GB' ? WIDTHS : WIDTHS.toReversed()
  test.describe(locale, () => {
    test.use({ locale })

    test('public pages', async ({ page }) => {
      test.setTimeout(LONG)
      const complaints = watch(page)
      for (const path of PUBLIC) {
        await page.goto(at(locale, path))
        await inspect(page, path, widths)
        await expect(page.locator('html')).toHaveAttribute('lang', locale)
      }
      expect(complaints).toEqual([])
    })

    test('pages of the provider', async ({ page }) => {
      test.setTimeout(LONG)
      const complaints = watch(page)
      await openSession(page, locale, 'admin', 'dave')
      for (const path of INTERNAL) {
        await page.goto(at(locale, path))
        await inspect(page, path, widths)
      }
      expect(complaints).toEqual([])
    })

    test('pages behind the sign-in', async ({ page }) => {
      test.setTimeout(LONG)
      const complaints = watch(page)
      await openSession(page, locale, 'acme', 'alice')
      for (const path of INSIDE) {
        await page.goto(at(locale, path))
        await inspect(page, path, widths)
      }
      for (const list of ['calls?payload_types=Call', 'messages', 'interviews']) {
        await page.setViewportSize({ width: WIDTHS[0] ?? 0, height: 900 })
        await page.goto(at(locale, `/dashboard/services/${list}`))
        await page.getByRole('row').nth(1).click()
        await page.keyboard.press('Enter')
        await page.waitForURL(/\/[0-9A-Z]{26}/)
        await inspect(page, `detail of ${list}`, widths)
      }
      expect(complaints).toEqual([])
    })
  })
}
