import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import AxeBuilder from '@axe-core/playwright'
import { expect, type Page } from './test.ts'

const AXE = readFileSync(
  createRequire(import.meta.resolve('@axe-core/playwright')).resolve('axe-core/axe.min.js'),
  'utf8',
)
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
/** Rules whose result depends on the colour scheme. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block']

export interface AccessibilityOptions {
  /** Selector of the tested part; absent: the whole page. */
  part?: string
  /** Tests the colour rules only. */
  isColoursOnly?: boolean
  /** Label in a failure. */
  place?: string
}

/** Expects no axe violation on the current page. */
export async function expectAccessible(
  page: Page,
  { part, isColoursOnly = false, place = new URL(page.url()).pathname }: AccessibilityOptions = {},
): Promise<void> {
  // A page that still loads has no heading, which is no violation.
  if (part === undefined) await page.locator('h1').first().waitFor({ state: 'attached' })
  // Once per loaded page: the builder would add its larger source twice at every test.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(AXE)
  // The legacy mode opens no second page; no page here has cross-origin frames. Reports violations only.
  const axe = new AxeBuilder({ page, axeSource: 'undefined' }).setLegacyMode().options({
    runOnly: isColoursOnly ? { type: 'rule', values: COLOUR_RULES } : { type: 'tag', values: RULES },
    resultTypes: ['violations'],
  })
  if (part) axe.include(part)
  const { violations } = await axe.analyze()
  const found = violations.map(
    ({ id, nodes }) => `${place}: ${id} ${nodes.map(({ html }) => html).join(' ')}`,
  )
  expect(found).toEqual([])
}
