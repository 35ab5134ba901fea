import { getLocales, inBoth } from './locales.ts'
import { at, openSession, watch } from './person.ts'
import { expect, test } from './test.ts'

const SAYS = inBoth(
  {
    conversation: /^(Group c|C)onversation$/,
    none: /^No messages since/,
    result: /^This message is a duplicate\./,
    reviewed: /^Reviewed · \d+ messages?/,
    withdrawn: /marks? withdrawn$/,
  },
  {
    conversation: /^Conversa( em grupo)?$/,
    none: /^Nenhuma mensagem desde/,
    result: /^Esta mensagem é duplicada\./,
    reviewed: /^Revisado · \d+ mensage(m|ns)/,
    withdrawn: /marcas? retiradas?$/,
  },
)

for (const locale of getLocales(import.meta.url)) {
  const says = SAYS[locale]

  test.describe(`conversations of a device (${locale})`, () => {
    test.use({ locale })

    test('a reviewer opens a conversation from the device page and jumps to a day by keyboard', async ({
      page,
    }) => {
      const complaints = watch(page)
      await openSession(page, locale, 'acme', 'bob', at(locale, '/dashboard/devices?search=Harriet'))
      await page.getByRole('row').filter({ hasText: 'Harriet' }).first().click()
      await page.getByRole('link', { name: says('Conversations'), exact: true }).click()
      const rows = page.getByRole('row').filter({ has: page.getByRole('link') })
      await expect(rows.first()).toBeVisible()
      await rows.last().click()

      const box = page.getByRole('region', { name: says.conversation })
      const target = box.locator('[aria-current=true]')
      await expect(target).toBeInViewport()
      // The day of its first message in the user's zone.
      const first = await box.locator('li time').first().getAttribute('datetime')
      const day = new Date(first ?? '').toLocaleDateString('sv-SE')
      const date = page.getByLabel(says('Date'), { exact: true })
      await date.fill(day)
      await date.press('Enter')
      await expect(page).toHaveURL((url) => url.searchParams.get('at') === day)
      await expect(box).toBeFocused()
      await expect(box.locator('li').first()).toBeInViewport()

      await date.fill('2099-12-31')
      await date.press('Enter')
      await expect(box.getByText(says.none)).toBeInViewport()
      await page.getByRole('link', { name: says('Back to the message') }).click()
      await expect(target).toBeInViewport()
      expect(complaints).toEqual([])
    })

    test('a reviewer marks a conversation from the list of conversations, and takes it back as one', async ({
      page,
    }) => {
      const complaints = watch(page)
      await openSession(page, locale, 'acme', 'bob', at(locale, '/dashboard/services/messages'))
      await page.getByRole('link', { name: says('Conversations'), exact: true }).click()
      const row = page
        .getByRole('row')
        .filter({ has: page.getByRole('gridcell') })
        .first()
      await expect(row.getByRole('gridcell').first()).toBeVisible()
      await page.getByRole('grid').focus()
      await page.keyboard.press('Enter')
      await expect(
        page.getByRole('region', { name: says.conversation }).locator('[aria-current=true]'),
      ).toBeInViewport()
      await page.keyboard.press('r')
      await expect(page.getByText(says.reviewed)).toBeVisible()
      // The next conversation is open.
      await expect(page.getByText(/^2 (of|de) \d/)).toBeVisible()
      await page.keyboard.press('u')
      await expect(page.getByText(says('All reviewed')).first()).toBeVisible()
      await page.keyboard.press('z')
      await expect(page.getByText(says.withdrawn)).toBeVisible()
      await expect(page.getByText(says('All reviewed'))).toHaveCount(0)
      expect(complaints).toEqual([])
    })

    test('a duplicate message links to the first upload and back', async ({ page }) => {
      const complaints = watch(page)
      await openSession(
        page,
        locale,
        'acme',
        'alice',
        at(locale, '/dashboard/services/messages?is_copy=true'),
      )
      const rows = page.getByRole('row').filter({ has: page.getByRole('link') })
      await expect(rows).toHaveCount(2)
      await rows.first().getByRole('link').first().click()
      const again = /messages\/([^/?]+)/.exec(page.url())?.[1] ?? ''
      const result = page.getByText(says.result)
      await expect(result).toBeVisible()
      const conversation = page.getByRole('region', { name: says.conversation })
      await expect(conversation.locator('[aria-current=true]')).toBeInViewport()
      await result.getByRole('link').click()
      await expect(page).not.toHaveURL((url) => url.pathname.includes(again))
      await expect(page.getByText(says('Duplicate upload'), { exact: true })).toBeVisible()
      await expect(result).toHaveCount(0)
      await page.getByRole('link', { name: `…${again.slice(-8)}` }).click()
      await expect(page).toHaveURL((url) => url.pathname.includes(again))
      expect(complaints).toEqual([])
    })
  })
}
