import AxeBuilder from '@axe-core/playwright'
import { expect, type Page, test } from '@playwright/test'
import { at, type Locale, signIn, watch } from './person.ts'

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
const PUBLIC = ['/', '/sign-in', '/cookies', '/privacy', '/terms', '/nothing']
const INSIDE = [
  '/dashboard',
  '/dashboard/services',
  '/dashboard/services/calls',
  '/dashboard/services/messages',
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
]
/** Many pages, each looked at by axe. */
const LONG = 240_000
const WIDTHS = [1440, 390]

/** Nothing for axe to find, the content in view, and no sideways scrolling. */
async function inspect(page: Page, path: string): Promise<void> {
  const main = page.getByRole('main')
  await expect(main).toBeInViewport()
  await expect(page.getByRole('heading', { level: 1 }).first()).toBeVisible()
  await page.waitForLoadState('networkidle')
  const overflow = () =>
    page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
  await expect.poll(overflow, `${path} scrolls sideways`).toBeLessThanOrEqual(0)
  const { violations } = await new AxeBuilder({ page }).withTags(RULES).analyze()
  expect(
    violations.map(
      ({ id, nodes }) => `${path}: ${id} ${nodes.map((node) => node.target.join(' ')).join(', ')}`,
    ),
  ).toEqual([])
}

for (const locale of ['en-GB', 'pt-BR'] as const satisfies Locale[]) {
  for (const colorScheme of ['light', 'dark'] as const) {
    test.describe(`${locale}, ${colorScheme}`, () => {
      test.use({ locale, colorScheme })

      test('public pages', async ({ page }) => {
        const complaints = watch(page)
        for (const width of WIDTHS) {
          await page.setViewportSize({ width, height: 900 })
          for (const path of PUBLIC) {
            await page.goto(at(locale, path))
            await inspect(page, `${path} at ${width}`)
            await expect(page.locator('html')).toHaveAttribute('lang', locale)
          }
        }
        expect(complaints).toEqual([])
      })

      test('pages of the provider', async ({ page }) => {
        test.setTimeout(LONG)
        const complaints = watch(page)
        await signIn(page, locale, 'admin', 'dave')
        for (const width of WIDTHS) {
          await page.setViewportSize({ width, height: 900 })
          for (const path of INTERNAL) {
            await page.goto(at(locale, path))
            await inspect(page, `${path} at ${width}`)
          }
        }
        expect(complaints).toEqual([])
      })

      test('pages behind the sign-in', async ({ page }) => {
        test.setTimeout(LONG)
        const complaints = watch(page)
        await signIn(page, locale, 'acme', 'alice')
        for (const width of WIDTHS) {
          await page.setViewportSize({ width, height: 900 })
          for (const path of INSIDE) {
            await page.goto(at(locale, path))
            await inspect(page, `${path} at ${width}`)
          }
        }
        for (const list of ['calls?payload_types=Call', 'messages']) {
          await page.setViewportSize({ width: 1440, height: 900 })
          await page.goto(at(locale, `/dashboard/services/${list}`))
          await page.getByRole('row').nth(1).click()
          await page.keyboard.press('Enter')
          await page.waitForURL(/\/[0-9A-Z]{26}/)
          for (const width of WIDTHS) {
            await page.setViewportSize({ width, height: 900 })
            await inspect(page, `detail of ${list} at ${width}`)
          }
        }
        expect(complaints).toEqual([])
      })
    })
  }
}
