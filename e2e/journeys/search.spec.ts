import { expectAccessible } from './accessibility.ts'
import { getLocales } from './locales.ts'
import { at, type Locale, openSession, watch } from './person.ts'
import { expect, type Page, test } from './test.ts'

const LABELS = {
  'en-GB': { search: 'Search', none: 'No calls match', hint: /start of a name/ },
  'pt-BR': {
    search: 'Buscar',
    none: 'Nenhuma chamada encontrada',
    hint: /início de um nome/,
  },
} as const satisfies Record<Locale, object>

/** Phone numbers in the national formats of both countries. */
const HOME: Record<Locale, { number: RegExp; write: string; user: string }> = {
  'en-GB': { number: /^\+44(\d{4})(\d{3})(\d{3})$/, write: '0$1 $2 $3', user: 'bob' },
  'pt-BR': { number: /^\+55(\d{2})(\d{4,5})(\d{4})$/, write: '(0$1) $2-$3', user: 'alice' },
}

interface Call {
  parties?: { phone_number: string | null; contact_name?: string | null }[]
}

/** Opens the calls; returns one whose party has a number of this country and a surname to type in two steps. */
async function someCall(page: Page, locale: Locale) {
  const answered = page.waitForResponse(
    (response) =>
      /\/payloads\?.*service=calls/.test(response.url()) && !response.url().includes('type=total'),
  )
  await page.goto(at(locale, '/dashboard/services/calls'))
  const { data } = (await (await answered).json()) as { data: Call[] }
  for (const { parties } of data) {
    const { phone_number, contact_name } = parties?.[0] ?? {}
    const [, surname] = contact_name?.split(' ') ?? []
    if (
      phone_number &&
      contact_name &&
      surname &&
      surname.length > 4 &&
      HOME[locale].number.test(phone_number)
    )
      return { phone_number, contact_name, surname }
  }
  throw new Error('the demo has no such call')
}

/** Every row of the list has this person, as the named party or as another of a conference. */
async function onlyWith(page: Page, name: string): Promise<void> {
  const rows = page.locator('[role=row][data-index]')
  await expect(rows.filter({ hasText: name }).first()).toBeVisible()
  const withOthers = page.getByText(/^\+\d{1,2}$/)
  await expect(rows.filter({ hasNotText: name }).filter({ hasNot: withOthers })).toHaveCount(0)
}

for (const locale of getLocales(import.meta.url)) {
  test.describe(`a reviewer who searches for a person (${locale})`, () => {
    test.use({ locale })
    const labels = LABELS[locale]
    const { number, write, user } = HOME[locale]

    test('finds calls by the end of a number, its national form and the start of a surname', async ({
      page,
    }) => {
      const complaints = watch(page)
      await openSession(page, locale, 'acme', user, null)
      const { phone_number, contact_name, surname } = await someCall(page, locale)
      const field = page.getByRole('combobox', { name: labels.search })
      const beginning = surname.slice(0, 5).normalize('NFD').replace(/\p{M}/gu, '').toUpperCase()
      for (const typed of [phone_number.slice(-6), phone_number.replace(number, write), beginning]) {
        await field.fill(typed)
        await expect(page).toHaveURL((url) => url.searchParams.get('search') === typed)
        await onlyWith(page, contact_name)
        await field.fill('')
        await expect(page).toHaveURL((url) => !url.searchParams.has('search'))
      }

      await field.pressSequentially(surname.slice(0, 4))
      const option = page.getByRole('option', { name: new RegExp(contact_name) })
      await expect(option).toBeVisible()
      // Refetching rows are faint.
      await expect(page).toHaveURL((url) => url.searchParams.get('search') === surname.slice(0, 4))
      await expect(page.locator('main [aria-busy=true]')).toHaveCount(0)
      await expectAccessible(page)
      await field.press('Escape')
      await expect(option).toBeHidden()
      await expect(field).toHaveValue(surname.slice(0, 4))
      await field.press('End')
      await field.pressSequentially(surname.slice(4, 5))
      await expect(option).toBeVisible()
      while ((await option.getAttribute('aria-selected')) !== 'true' && !(await isChosen(page, contact_name)))
        await field.press('ArrowDown')
      await field.press('Enter')
      await expect(field).toHaveValue(phone_number)
      await onlyWith(page, contact_name)

      await field.fill('999999999')
      await expect(page.getByText(labels.none)).toBeVisible()
      await expect(page.getByText(labels.hint)).toBeVisible()
      expect(complaints).toEqual([])
    })
  })
}

/** Whether this suggestion is the one that Enter takes. */
const isChosen = (page: Page, name: string): Promise<boolean> =>
  page.evaluate((search) => {
    const id = document.activeElement?.getAttribute('aria-activedescendant')
    const chosen = id ? document.getElementById(id) : null
    return chosen?.textContent?.includes(search) ?? false
  }, name)
