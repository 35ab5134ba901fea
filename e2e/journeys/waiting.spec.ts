import { memoryStore, openPhone } from '@custodia/device-sdk'
import { newDeviceKey } from '@custodia/envelope'
import { carriedPhone, demoAccounts, type DemoPerson, smallRecording } from '@custodia/simulator'
import { getLocales, inBoth } from './locales.ts'
import { at, type Locale, openSession, search, watch } from './person.ts'
import { demo, expect, type Page, test } from './test.ts'

const SAYS = inBoth(
  {
    goes: (who: string) => new RegExp(`Goes to ${who}`),
    confirmed: '1 device confirmed',
    rejected: '2 devices rejected',
    validated: '1 can be decided · 2 refused',
    unknown: 'Not found: no-such-device.',
    required: "The 'serial_number' field is required.",
    one: 'Confirm 1 device',
  },
  {
    goes: (who: string) => new RegExp(`Vai para ${who}`),
    confirmed: '1 dispositivo confirmado',
    rejected: '2 dispositivos rejeitados',
    validated: '1 pode ser decidido · 2 recusados',
    unknown: 'Não encontrado: no-such-device.',
    required: "O campo 'serial_number' é obrigatório.",
    one: 'Confirmar 1 dispositivo',
  },
)

/** Holders whose devices no other journey counts: the current and the new one. */
const WHO = { 'en-GB': ['Marcus', 'Nadia'], 'pt-BR': ['Molly', 'João'] } as const

/** Two people of acme with this language, and their spare devices. */
async function fleet(locale: Locale) {
  const { url, dataDir } = demo()
  const accounts = await demoAccounts(dataDir)
  const acme = accounts.find(({ people }) => people.some(({ email }) => email.endsWith('@acme.example')))
  const [former, holder] = WHO[locale].map((name) =>
    acme?.people.find(({ first_name }) => first_name === name),
  )
  if (!acme || !former || !holder) throw new Error('the demo has no such people')
  const carry = async (spare: number, asked: DemoPerson, pair = newDeviceKey()) => {
    const carried = carriedPhone(former, spare)
    const identity = { ...carried.identity, email: asked.email }
    const phone = await openPhone({
      enrolment: { server_url: url, ...acme },
      identity,
      store: memoryStore(pair),
      onEvent: () => undefined,
    })
    const { device_reference } = await phone.authenticate()
    const say = async () => {
      await phone.record(smallRecording(carried, Math.floor(Date.now() / 1000)))
      await phone.sync({ patience: 60 })
    }
    return { device_reference, serial_number: identity.serial_number ?? '', pair, say }
  }
  return { former, holder, carry }
}

const rows = (page: Page) => page.locator('[role=row][data-index]')

for (const locale of getLocales(import.meta.url)) {
  const says = SAYS[locale]
  test.describe(`devices that wait for confirmation (${locale})`, () => {
    test.use({ locale })

    test('a device with a new holder is confirmed, others by file, and unknown ones are rejected', async ({
      page,
    }) => {
      const { former, holder, carry } = await fleet(locale)
      const first = await carry(40, former)
      await first.say()
      const { device_reference, say } = await carry(40, holder, first.pair)
      expect(device_reference).toBe(first.device_reference)
      await say()

      const complaints = watch(page)
      await openSession(page, locale, 'acme', 'alice', at(locale, '/dashboard'))
      const line = page.getByRole('listitem').filter({ hasText: says('Devices to confirm') })
      await line.getByRole('link').click()
      await page.waitForURL(/is_waiting=true/)
      await search(page, device_reference)
      await expect(rows(page)).toHaveCount(1)
      await expect(rows(page).first()).toContainText(says('Another holder'))
      await rows(page).first().click()

      await expect(page.getByText(says('This device awaits confirmation'))).toBeVisible()
      await expect(page.getByText(says('Waiting for confirmation'), { exact: true }).first()).toBeVisible()
      await page.getByRole('button', { name: says('Confirm…') }).click()
      const dialog = page.getByRole('dialog')
      await expect(dialog.getByText(says.goes(holder.first_name))).toBeVisible()
      await dialog.getByRole('button', { name: says('Confirm'), exact: true }).click()
      await expect(page.getByText(says.confirmed)).toBeVisible()
      await expect(page.getByText(says('This device awaits confirmation'))).toBeHidden()
      await expect(page.getByRole('heading', { level: 1 })).toContainText(holder.first_name)
      await page.getByRole('link', { name: says('Recordings'), exact: true }).click()
      await expect(rows(page)).toHaveCount(2)

      // A person with the expected number of devices gets more only by confirmation.
      const further = await Promise.all([41, 42, 43].map((spare) => carry(spare, holder)))
      const [byFile, ...strangers] = further
      await page.goto(at(locale, '/dashboard/devices?is_waiting=true'))
      await page.getByRole('button', { name: says('Confirm from a file') }).click()
      await page.locator('input[type=file]').setInputFiles({
        name: 'phones.csv',
        mimeType: 'text/csv',
        buffer: Buffer.from(
          [
            'serial_number;device_user_reference',
            byFile?.serial_number,
            'no-such-device',
            ';no-such-person',
          ].join('\r\n'),
        ),
      })
      await expect(dialog.getByText(says.validated)).toBeVisible()
      await expect(dialog.getByText(says.unknown)).toBeVisible()
      await expect(dialog.getByText(says.required)).toBeVisible()
      await expect(dialog.getByRole('rowheader', { name: '3', exact: true })).toBeVisible()
      await dialog.getByRole('button', { name: says.one }).click()
      await expect(page.getByText(says.confirmed)).toBeVisible()
      await page.keyboard.press('Escape')
      await expect(dialog).toBeHidden()

      await search(page, holder.email)
      await expect(rows(page)).toHaveCount(strangers.length)
      for (let i = 0; i < strangers.length; i++) await rows(page).nth(i).getByRole('checkbox').check()
      await page.getByRole('button', { name: says('Reject…') }).click()
      await expect(dialog.getByText(says('Blocked; its uploads are kept separately'))).toHaveCount(
        strangers.length,
      )
      await dialog.getByRole('button', { name: says('Reject'), exact: true }).click()
      await expect(page.getByText(says.rejected)).toBeVisible()
      await expect(rows(page)).toHaveCount(0)
      expect(complaints).toEqual([])
    })
  })
}
