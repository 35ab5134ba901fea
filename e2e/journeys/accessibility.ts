import AxeBuilder from '@axe-core/playwright'
import { expect, type Page } from './test.ts'

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
/** Rules whose result depends on the colour scheme. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block']

export interface AccessibilityOptions {
  /** Selector of the part to look at; absent: the whole page. */
  part?: string
  /** Whether only the rules about colours count. */
  isColoursOnly?: boolean
  /** Named in a failure. */
  place?: string
}

/** Expects that axe finds no violation on the page as it is. */
export async function expectAccessible(
  page: Page,
  { part, isColoursOnly = false, place = new URL(page.url()).pathname }: AccessibilityOptions = {},
): Promise<void> {
  // The legacy mode opens no second page for the report; no page here has frames of another origin.
  // Nothing else is reported: what passes is most of a page.
  const axe = new AxeBuilder({ page }).setLegacyMode().options({
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
