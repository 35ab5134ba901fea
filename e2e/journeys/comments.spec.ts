import { expectAccessible } from './accessibility.ts'
import { getLocales, inBoth } from './locales.ts'
import { at, openSession, watch, WORDS } from './person.ts'
import { expect, test } from './test.ts'

const SAID = inBoth(
  {
    comment: 'Comment',
    field: /^Comment/,
    close: 'Close',
    playFrom: /^Play from/,
    versions: 'Versions (2)',
    about: /^About 0:/,
    reply: 'Reply',
    replyTo: 'Reply to Bob Singh',
    reason: /^Reason/,
  },
  {
    comment: 'Comentar',
    field: /^Comentário/,
    close: 'Encerrar',
    playFrom: /^Reproduzir a partir/,
    versions: 'Versões (2)',
    about: /^Sobre 0:/,
    reply: 'Responder',
    replyTo: 'Resposta a Bob Singh',
    reason: /^Motivo/,
  },
)

for (const locale of getLocales(import.meta.url)) {
  test(`a comment is created, edited and closed, and a compliance manager reads its versions (${locale})`, async ({
    browser,
    page,
  }) => {
    const words = SAID[locale]
    const complaints = watch(page)
    await openSession(
      page,
      locale,
      'acme',
      'bob',
      at(locale, '/dashboard/services/calls?payload_types=Call&states=Processed'),
    )
    // Next to the list, too.
    const field = page.getByRole('textbox', { name: words.field })
    await expect(page.getByRole('gridcell').first()).toBeVisible()
    await page.keyboard.press('o')
    await expect(page.getByRole('button', { name: WORDS[locale].play }).last()).toBeEnabled()
    await page.keyboard.press('c')
    await expect(field).toBeFocused()
    await page.getByRole('button', { name: words('Cancel'), exact: true }).click()
    await expect(field).toHaveCount(0)
    await page.getByRole('row').nth(1).click()
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/calls\/[0-9A-Z]{26}/)
    const address = new URL(page.url()).pathname
    const item = (text: string) => page.getByRole('article').filter({ hasText: text })

    // A drag over the waveform selects the range.
    const slider = page.getByRole('slider', { name: words('Position in the recording') })
    await expect(slider).toBeVisible()
    // Loading moves parts of the page: repeat a missed drag.
    await expect(async () => {
      const box = await slider.boundingBox()
      if (box === null) throw new Error('the slider has no place')
      await page.mouse.move(box.x + box.width * 0.3, box.y + 30)
      await page.mouse.down()
      await page.mouse.move(box.x + box.width * 0.5, box.y + 30)
      await page.mouse.move(box.x + box.width * 0.6, box.y + 30)
      await page.mouse.up()
      await expect(field).toBeFocused({ timeout: 2000 })
    }).toPass({ timeout: 15_000 })
    await expect(page.getByText(words.about)).toBeVisible()
    const first = `Price before mandate ${locale}`
    await field.fill(first)
    await field.press('Control+Enter')
    await expect(item(first)).toBeVisible()
    // A link that the fixed header covers counts as a small target.
    await page.evaluate(() => scrollTo(0, 0))
    await expectAccessible(page)

    await item(first)
      .getByRole('button', { name: words('Edit') })
      .click()
    const second = `Price after mandate ${locale}`
    await field.fill(second)
    await page.getByRole('button', { name: words('Save'), exact: true }).click()
    await expect(item(second)).toBeVisible()
    await expect(item(first)).toHaveCount(0)

    await item(second).getByRole('button', { name: words.playFrom }).click()
    await expect(page.getByRole('button', { name: WORDS[locale].pause })).toBeVisible()
    const audio = page.locator('audio')
    await expect
      .poll(() => audio.evaluate((element: HTMLAudioElement) => element.currentTime))
      .toBeGreaterThan(1)
    await page.getByRole('button', { name: WORDS[locale].pause }).click()

    await item(second).getByRole('button', { name: words.close, exact: true }).click()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: words('Close comment') })
      .click()
    await expect(item(second)).toHaveCount(0)

    // By keyboard: at the player's position.
    await slider.focus()
    await page.keyboard.press('c')
    await expect(field).toBeFocused()
    const kept = `To be looked at ${locale}`
    await field.fill(kept)
    await field.press('Control+Enter')
    await expect(item(kept)).toBeVisible()
    expect(complaints).toEqual([])

    const others = await browser.newContext({ locale })
    const manager = await others.newPage()
    const more = watch(manager)
    await openSession(manager, locale, 'acme', 'alice', at(locale, '/dashboard/services/comments'))
    await expect(manager.getByRole('row').filter({ hasText: kept })).toBeVisible()
    await manager.getByRole('row').filter({ hasText: kept }).click()
    await manager.keyboard.press('Enter')
    await manager.waitForURL(/\/calls\/[0-9A-Z]{26}\?t=/)
    expect(new URL(manager.url()).pathname).toBe(address)
    // A link without the type keeps its start time.
    const moment = new URL(manager.url())
    await manager.goto(moment.href.replace('/calls/', '/interviews/'))
    await manager.waitForURL(moment.href)
    await manager.getByRole('tab', { name: words('Comments') }).click()
    await manager.getByRole('switch', { name: words('Show closed comments') }).check()
    const closed = manager.getByRole('article').filter({ hasText: second })
    await closed.getByRole('button', { name: words.versions }).click()
    const versions = manager.getByRole('dialog').getByRole('listitem')
    await expect(versions).toHaveCount(2)
    await expect(versions.nth(0)).toContainText(second)
    await expect(versions.nth(1)).toContainText(first)
    await expectAccessible(manager, { part: '[role=dialog]' })
    await manager.keyboard.press('Escape')

    // Another person's comment cannot be edited, but answered and closed with a reason.
    const ofBob = manager.getByRole('article').filter({ hasText: kept })
    await expect(ofBob.getByRole('button', { name: words('Edit') })).toHaveCount(0)
    await ofBob.getByRole('button', { name: words.reply }).click()
    const answer = `It was looked at ${locale}`
    await manager.getByRole('textbox', { name: words.field }).fill(answer)
    await manager.keyboard.press('Control+Enter')
    await expect(manager.getByRole('article').filter({ hasText: answer })).toContainText(words.replyTo)
    await ofBob.getByRole('button', { name: words.close, exact: true }).click()
    const dialog = manager.getByRole('dialog')
    await dialog.getByRole('textbox', { name: words.reason }).fill('Answered')
    await expectAccessible(manager, { part: '[role=dialog]' })
    await dialog.getByRole('button', { name: words('Close comment') }).click()
    await expect(ofBob).toContainText('Answered')
    expect(more).toEqual([])
    await others.close()
  })
}
