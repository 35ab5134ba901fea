import { readFile } from 'node:fs/promises'
import { Browser } from '../../apps/server/src/testing/browser.ts'
import { expectAccessible } from './accessibility.ts'
import { getLocales, inBoth } from './locales.ts'
import { at, openSession, watch } from './person.ts'
import { demo, expect, test } from './test.ts'

const SAID = inBoth(
  {
    reviewed: 'Reviewed by you',
    reviewedByBob: 'Reviewed by Bob Singh',
    week: /^\d{1,2} [A-Z][a-z]+ \d{4}$/,
    flaggedByBob: 'Flagged by Bob Singh',
    withdrawn: '1 mark withdrawn',
    refused: 'Mark refused: Reviewed · 2 recordings',
    why: 'Listen to more of this recording first: your account requires it.',
    selected: /^2 of \d+ selected/,
    recording: /^Call .+, \d{1,2} [A-Z][a-z]+ \d{4}, \d{2}:\d{2}$/,
    close: 'Close',
  },
  {
    reviewed: 'Revisado por você',
    reviewedByBob: 'Revisado por Bob Singh',
    week: /^\d{2}\/\d{2}\/\d{4}$/,
    flaggedByBob: 'Sinalizado por Bob Singh',
    withdrawn: '1 marca retirada',
    refused: 'Marca recusada: Revisado · 2 gravações',
    why: 'Ouça antes uma parte maior desta gravação: sua conta exige isso.',
    selected: /^2 de \d+ selecionados/,
    recording: /^Chamada .+, \d{2}\/\d{2}\/\d{4}, \d{2}:\d{2}$/,
    close: 'Fechar',
  },
)

/** Items to review in sequence. */
const ITEMS = 8
const ITEM = /\/calls\/[0-9A-Z]{26}/

for (const locale of getLocales(import.meta.url)) {
  test(`a reviewer marks items with one key each, and a colleague sees the marks (${locale})`, async ({
    browser,
    page,
  }) => {
    const words = SAID[locale]
    const complaints = watch(page)
    await openSession(page, locale, 'acme', 'bob', at(locale, '/dashboard/services/calls?mark=none'))
    await page.getByRole('row').nth(1).click()
    await page.keyboard.press('Enter')
    await page.waitForURL(ITEM)
    const review = page.getByRole('region', { name: words('Review'), exact: true })
    const seen: string[] = []
    const began = Date.now()
    for (let i = 0; i < ITEMS; i++) {
      // The address changes before the page: a key on the last page would be its second press.
      const { pathname } = new URL(page.url())
      await expect(page.getByText(pathname.slice(-8)).first()).toBeVisible()
      await expect(review).toContainText(words('Not marked'))
      expect(seen).not.toContain(pathname)
      seen.push(pathname)
      await page.keyboard.press('r')
      await page.waitForURL((url) => url.pathname !== pathname && ITEM.test(url.pathname))
    }
    console.info(
      `${ITEMS} items, one key each, ${((Date.now() - began) / 1000 / ITEMS).toFixed(2)} s per item`,
    )
    // A user who goes back while a mark is sent stays there.
    const marks = '**/payloads/*/marks*'
    const { pathname } = new URL(page.url())
    await expect(page.getByText(pathname.slice(-8)).first()).toBeVisible()
    let answer = () => {}
    const isAnswered = new Promise<void>((resolve) => (answer = resolve))
    await page.route(marks, async (route) => {
      if (route.request().method() === 'POST') await isAnswered
      await route.continue()
    })
    await expect(review).toContainText(words('Not marked'))
    const sent = page.waitForRequest(
      (request) => request.method() === 'POST' && /\/payloads\/\w+\/marks\b/.test(request.url()),
    )
    await page.keyboard.press('e')
    await sent
    await page
      .getByRole('link', { name: words('Calls') })
      .last()
      .click()
    await page.waitForURL(/\/calls\?/)
    await expect(page.getByRole('button', { name: words('Undo (Z)') })).toHaveCount(0)
    answer()
    await expect(page.getByRole('button', { name: words('Undo (Z)') })).toBeVisible()
    await page.keyboard.press('z')
    await expect(page.getByText(words.withdrawn)).toBeVisible()
    expect(new URL(page.url()).pathname).not.toMatch(ITEM)
    await page.unroute(marks)
    await page.goto(new URL(seen[0] ?? '', page.url()).href)
    await expect(review).toContainText(words.reviewed)

    const context = await browser.newContext()
    const other = await context.newPage()
    await openSession(other, locale, 'acme', 'alice', new URL(seen[0] ?? '', page.url()).href)
    const theirs = other.getByRole('region', { name: words('Review'), exact: true })
    await expect(theirs).toContainText(words.reviewedByBob)
    await page.getByRole('button', { name: words('History and listeners') }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: words('Note') }).fill(`Price ${locale}`)
    await expectAccessible(page)
    await dialog.getByRole('button', { name: words('Flag'), exact: true }).click()
    await expect(dialog.getByRole('article').filter({ hasText: `Price ${locale}` })).toBeVisible()
    await expect(theirs).toContainText(words.flaggedByBob)
    // Author and time stay in the history.
    await other.getByRole('button', { name: words('History and listeners') }).click()
    await expect(other.getByRole('dialog').getByRole('article')).toHaveCount(2)

    await other.goto(at(locale, '/dashboard/services/reviews'))
    await expect(other.getByRole('rowheader').first()).toHaveText(words.week)
    await expect(other.getByRole('columnheader', { name: words('Time listened') })).toBeVisible()
    const exporting = other.waitForEvent('download')
    await other.getByRole('button', { name: words('Export CSV') }).click()
    const file = await readFile(await (await exporting).path(), 'utf8')
    // Files use one column name in every language.
    expect(file.split('\r\n')[1]).toMatch(/^"?\d{4}-\d{2}-\d{2}\b/)
    await context.close()
    expect(complaints).toEqual([])
  })

  test(`a refused mark says what was refused and why, and keeps the selection (${locale})`, async ({
    page,
  }) => {
    const words = SAID[locale]
    const alice = new Browser(demo().url)
    const { id_token } = await alice.signIn('acme', 'alice')
    const { status } = await alice.json('/client/v1/api/review_settings', {
      method: 'PUT',
      headers: { authorization: `Bearer ${id_token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ reasons: [], min_share: 50, requires_share: true }),
    })
    expect(status).toBe(200)
    const list = '/dashboard/services/calls?states=Processed&heard=none'
    await openSession(page, locale, 'acme', 'bob', at(locale, list))
    await expect(page.getByRole('row').nth(2)).toBeVisible()
    for (const key of 'jxjxr') await page.keyboard.press(key)
    const notice = page.getByRole('alert').filter({ hasText: words.refused })
    await expect(notice).toContainText(words.why)
    const bar = page.getByRole('toolbar')
    await expect(bar).toContainText(words.selected)
    await bar.getByRole('button', { name: words('Mark as reviewed') }).click()
    const dialog = page.getByRole('dialog')
    await expect(dialog.getByRole('link', { name: words.recording })).toHaveCount(2)
    await dialog.getByRole('button', { name: words.close }).last().click()
    await expect(dialog).toHaveCount(0)
    await expect(bar).toContainText(words.selected)
  })
}
