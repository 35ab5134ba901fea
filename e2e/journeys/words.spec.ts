import { messageRecording } from '@custodia/simulator'
import { newId } from '../../apps/server/src/http/new-id.ts'
import { connectedOwner } from '../../apps/server/src/testing/database.ts'
import { expectAccessible } from './accessibility.ts'
import { getDemoPhone } from './demo-phone.ts'
import { getLocales, inBoth } from './locales.ts'
import { at, type Locale, openSession, watch } from './person.ts'
import { demo, expect, type Page, test } from './test.ts'

const SAID = inBoth(
  {
    search: 'Search',
    short: /needs 3 letters/,
    selected: /^10 of 10 selected/,
    marked: /Reviewed · 10 recordings/,
    place: (n: number) => `${n} of 10`,
    hit: (name: string) => `1 new hit for “${name}”`,
  },
  {
    search: 'Buscar',
    short: /precisa de 3 letras/,
    selected: /^10 de 10 selecionad/,
    marked: /Revisado · 10 gravações/,
    place: (n: number) => `${n} de 10`,
    hit: (name: string) => `1 novo resultado para “${name}”`,
  },
)

/** A message of João (South), and notes of Beatriz or João on an interview: Alice sees both groups, Bob only the North. */
const [MESSAGE, NOTE] = ['BALANCO "auditado de 2025"', 'entrev* investidor'] as const
const CONTACT = { contact_name: 'Word Harrow', phone_number: '+442079460922' }
/** A word of ten messages, and the most keys that mark them. */
const [WORD, MESSAGES, MAX_KEYS] = ['Zugzwang', 10, 6] as const

async function look(page: Page, locale: Locale, words: string): Promise<void> {
  await page.getByLabel(SAID[locale]('Search text')).fill(words)
  await page.getByRole('button', { name: SAID[locale].search, exact: true }).click()
}

const getRows = (page: Page, locale: Locale) =>
  page.getByRole('grid', { name: SAID[locale]('Result') }).locator('[role=row][data-index]')

for (const locale of getLocales(import.meta.url)) {
  const stated = SAID[locale]

  test(`a text search finds messages and notes only for reviewers with access (${locale})`, async ({
    browser,
    page,
  }) => {
    const complaints = watch(page)
    await openSession(page, locale, 'acme', 'alice', at(locale, '/dashboard/services/words'))
    await expect(page.getByLabel(stated('Search text'))).toBeFocused()
    await look(page, locale, 'ab*')
    await expect(page.getByText(stated.short)).toBeVisible()
    // Devices are still uploading, and the index follows shortly after.
    await expect(async () => {
      await look(page, locale, 'nowhere')
      await expect(page.getByText(stated('No results for these words'))).toBeVisible({ timeout: 2000 })
      await look(page, locale, NOTE)
      await expect(getRows(page, locale).first()).toBeVisible({ timeout: 2000 })
      await look(page, locale, `${MESSAGE} `)
      await expect(getRows(page, locale).first()).toBeVisible({ timeout: 2000 })
    }).toPass()
    const passage = getRows(page, locale).first()
    await expect(passage.locator('mark').filter({ hasText: 'auditado' })).toBeVisible()
    await expectAccessible(page)
    expect(page.url()).not.toContain('auditado')
    await passage.getByRole('link').first().click()
    await expect(page.locator('mark').filter({ hasText: 'auditado' }).first()).toBeVisible()
    await expect(page.locator('mark').filter({ hasText: 'balanço' }).first()).toBeVisible()

    const other = await browser.newPage()
    await openSession(other, locale, 'acme', 'bob', at(locale, '/dashboard/services/words'))
    for (const words of [MESSAGE, NOTE]) {
      await look(other, locale, words)
      await expect(other.getByText(stated('No results for these words'))).toBeVisible()
    }
    await other.close()
    // Only the rejected request is logged.
    expect(complaints.filter((each) => !each.includes('400') && !each.includes('ApiProblem: words'))).toEqual(
      [],
    )
  })

  test(`ten messages with a word are marked with at most ${MAX_KEYS} keys (${locale})`, async ({ page }) => {
    const word = `${WORD}${locale === 'pt-BR' ? 'pt' : ''}`
    const sender = await getDemoPhone('acme', locale, 3)
    await sendMessages(sender, word, MESSAGES)
    const complaints = watch(page)
    let keys = 0
    const press = async (key: string) => {
      keys++
      await page.keyboard.press(key)
    }
    await openSession(page, locale, 'acme', 'alice', at(locale, '/dashboard/services/words'))
    const rows = getRows(page, locale)
    // The index follows the upload.
    await expect(async () => {
      await look(page, locale, word)
      await expect(rows).toHaveCount(MESSAGES, { timeout: 2000 })
    }).toPass()
    await page.reload()
    await expect(page.getByLabel(stated('Search text'))).toBeFocused()
    await page.keyboard.type(word)
    await press('Enter')
    await expect(rows.first()).toBeFocused()
    await expect(page.getByRole('navigation', { name: stated('Results by type') })).toContainText(
      String(MESSAGES),
    )
    await press('Shift+End')
    await expect(page.getByText(stated.selected)).toBeVisible()
    await press('r')
    await expect(page.getByText(stated.marked)).toBeVisible()
    await expect(page.getByRole('toolbar')).toHaveCount(0)
    expect(keys).toBeLessThanOrEqual(MAX_KEYS)

    // From result to result, and back to the row last seen.
    await page.keyboard.press('Home')
    await page.keyboard.press('Enter')
    await expect(page.getByText(stated.place(1), { exact: true })).toBeVisible()
    await expect(page.locator('mark').filter({ hasText: word }).first()).toBeVisible()
    await page.keyboard.press('n')
    await expect(page.getByText(stated.place(2), { exact: true })).toBeVisible()
    await page.getByRole('tab', { name: stated('Audit') }).click()
    await expect(page.getByText(stated('Passage read in a search')).first()).toBeVisible()
    await page.keyboard.press('u')
    await expect(rows.nth(1)).toBeFocused()
    await expect(page.getByLabel(stated('Search text'))).toHaveValue(word)
    // Back in the browser also leads to the search, past the results in between.
    await page.keyboard.press('Enter')
    await page.keyboard.press('n')
    await page.keyboard.press('n')
    await expect(page.getByText(stated.place(4), { exact: true })).toBeVisible()
    await page.goBack()
    await expect(rows.nth(3)).toBeFocused()

    // Saved, the search reports a new message, and its notice leads to that message alone.
    await setProcessed(600)
    await page.getByRole('button', { name: stated('Save view') }).click()
    const form = page.getByRole('dialog', { name: stated('Save view') })
    await form.getByLabel(stated('Name of the view')).fill(word)
    // The switch stands before the button that saves it.
    const watching = form.getByRole('switch', { name: stated('Tell me about new hits') })
    await expect(watching).toBeEnabled()
    await page.keyboard.press('Tab')
    await expect(watching).toBeFocused()
    await page.keyboard.press('Space')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    const view = page.getByRole('link', { name: word, exact: true })
    await expect(view).toHaveAttribute('aria-current', 'page')
    await expect(view).toBeFocused()
    await sendMessages(sender, word, 1)
    const notice = page.getByRole('banner').getByRole('link', { name: stated.hit(word) })
    // The portal counts when it opens, what was processed more than a minute ago.
    await expect(async () => {
      await setProcessed(61)
      await page.goto(at(locale, '/dashboard'))
      await expect(notice).toBeVisible({ timeout: 3000 })
    }).toPass()
    await notice.click()
    await expect(rows).toHaveCount(1)
    await expect(rows.first()).toContainText(word)
    await expect(notice).toHaveCount(0)
    expect(complaints).toEqual([])
  })
}

/** Sets the processing time of payloads to at least so many seconds ago. */
async function setProcessed(ago: number): Promise<void> {
  const owner = await connectedOwner(demo().connection)
  await owner
    .query(
      `begin; set local session_replication_role = replica;
       update payloads set processed_at = least(processed_at, extract(epoch from now())::bigint - ${ago})
       where processed_at is not null;
       update payload_changes c set processed_at = p.processed_at from payloads p where p.payload_id = c.payload_id; commit`,
    )
    .finally(() => owner.end())
}

/** Uploads messages with a word. */
async function sendMessages(
  { carried, phone }: Awaited<ReturnType<typeof getDemoPhone>>,
  word: string,
  count: number,
): Promise<void> {
  const now = Math.floor(Date.now() / 1000)
  for (let i = 0; i < count; i++) {
    const [payload_reference, payload_time] = [newId(), now - 600 - 60 * i]
    await phone.record(
      messageRecording(carried, {
        payload_type: 'SMS',
        payload_reference,
        payload_time,
        direction: 'I',
        contact: CONTACT,
        text: `Move ${i}: I am in ${word}, we must sell before noon.`,
      }),
    )
  }
  const { waiting, refused } = await phone.sync({ patience: 120 })
  expect({ waiting, refused }).toEqual({ waiting: 0, refused: 0 })
}
