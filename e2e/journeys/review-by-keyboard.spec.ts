import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { MEDIA_FOLDER } from '@custodia/simulator'
import { newId } from '../../apps/server/src/http/new-id.ts'
import { getDemoPhone } from './demo-phone.ts'
import { openSession, visit, watch } from './person.ts'
import { expect, type Page, test } from './test.ts'

/** Calls to review; one more follows the last one. */
const ITEMS = process.env['TEST_LONG'] === 'true' ? 50 : 15
const NAME = 'Keyboard Harrow'
/** Duration of each in seconds: longer than the journey listens. */
const SECONDS = 14

/** Uploads calls in a format that every browser plays. */
async function recordCalls(): Promise<void> {
  const { carried, phone } = await getDemoPhone('globex', 'pt-BR', 2)
  const path = join(MEDIA_FOLDER, 'calls/en-voicemail.wav')
  const { size } = await stat(path)
  const now = Math.floor(Date.now() / 1000)
  for (let i = 0; i <= ITEMS; i++) {
    const [payload_reference, payload_time] = [newId(), now - 600 - 60 * i]
    const spoken = { direction: 'I' as const, start_time: payload_time, connection_time: payload_time }
    await phone.record({
      payload_type: 'Call',
      meta: {
        ...carried.common(payload_reference, payload_time),
        payload_end_time: payload_time + SECONDS,
        voice_source: 'MIC',
        signal_strength: -80,
        size,
        second_parties: [{ ...spoken, phone_number: '+442079460911', contact_name: NAME, duration: SECONDS }],
      },
      data: () => createReadStream(path),
    })
  }
  const { waiting, refused } = await phone.sync({ patience: 120 })
  expect({ waiting, refused }).toEqual({ waiting: 0, refused: 0 })
}

/** Counts the playbacks in the page. */
const countSounds = (page: Page) =>
  page.addInitScript(() => {
    Object.assign(window, { sounds: 0 })
    addEventListener(
      'playing',
      () => Object.assign(window, { sounds: Reflect.get(window, 'sounds') + 1 }),
      true,
    )
  })

test(`a reviewer plays and reviews ${ITEMS} calls with the keyboard alone`, async ({ page }) => {
  await recordCalls()
  const complaints = watch(page)
  await countSounds(page)
  await openSession(
    page,
    'en-GB',
    'globex',
    'gina',
    `/dashboard/services/calls?mark=none&search=${encodeURIComponent(NAME)}`,
  )
  const row = (index: number) => page.locator(`[role=row][data-index="${index}"]`)
  await expect(row(0)).toBeVisible()
  const review = page.getByRole('region', { name: 'Review', exact: true })
  const pause = page.getByRole('button', { name: /^Pause\b/ })
  let keys = 0
  const press = async (key: string) => {
    keys++
    await page.keyboard.press(key)
  }
  /** The recording in the address: a reload or a link opens it again. */
  const open = () => new URL(page.url()).searchParams.get('preview') ?? ''
  await press('p')
  await expect(row(0)).toBeFocused()
  await expect(pause).toBeVisible({ timeout: 90_000 })
  await press('a')
  const seen: string[] = []
  for (let i = 0; i < ITEMS; i++) {
    await expect(pause).toBeVisible()
    await expect.poll(() => page.evaluate(() => Reflect.get(window, 'sounds'))).toBe(i + 1)
    await expect(review).toContainText('Not marked')
    await expect(row(i)).toBeFocused()
    expect(await row(i).getAttribute('data-key')).toBe(open())
    expect(seen).not.toContain(open())
    seen.push(open())
    await press('r')
    await expect.poll(open).not.toBe(seen.at(-1))
    await expect(row(i)).toContainText('Reviewed')
  }
  // Ten calls: twelve keys.
  expect(keys).toBe(ITEMS + 2)
  // One item is left, and the address opens it again.
  await page.reload()
  await expect(row(0)).toBeFocused()
  await expect(page.getByRole('complementary', { name: `Call with ${NAME}` })).toBeVisible()
  await expect(row(1)).toHaveCount(0)
  // On a phone the notice of a mark covers no row.
  await page.setViewportSize({ width: 390, height: 844 })
  await visit(page, '/dashboard/services/calls')
  await page.keyboard.press('j')
  await page.keyboard.press('r')
  const notice = page.locator('.mantine-Notification-root')
  await expect(notice).toHaveCount(1)
  const rows = await page.locator('[data-list-scroll]').boundingBox()
  const end = (rows?.y ?? Number.NaN) + (rows?.height ?? Number.NaN)
  await expect.poll(async () => (await notice.boundingBox())?.y).toBeGreaterThanOrEqual(end)
  expect(complaints).toEqual([])
})
