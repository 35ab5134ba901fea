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
/** Maximum seconds per item: a bound for hangs, not a measurement. */
const MAX_SECONDS = 20

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

/** Records the times of key presses and playback starts, in milliseconds. */
const noteSounds = (page: Page) =>
  page.addInitScript(() => {
    const noted: { keys: number[]; sounds: number[] } = { keys: [], sounds: [] }
    Object.assign(window, { noted })
    addEventListener('keydown', () => noted.keys.push(performance.now()), true)
    addEventListener('playing', () => noted.sounds.push(performance.now()), true)
  })
const noted = (page: Page) =>
  page.evaluate(() => (window as unknown as { noted: { keys: number[]; sounds: number[] } }).noted)

test(`a reviewer plays and reviews ${ITEMS} calls with the keyboard alone`, async ({ page }) => {
  await recordCalls()
  const complaints = watch(page)
  await noteSounds(page)
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
  const delays: number[] = []
  const began = Date.now()
  for (let i = 0; i < ITEMS; i++) {
    await expect(pause).toBeVisible()
    await expect.poll(async () => (await noted(page)).sounds.length).toBe(i + 1)
    const { keys: pressed, sounds } = await noted(page)
    delays.push((sounds.at(-1) ?? 0) - (pressed.at(-1) ?? 0))
    await expect(review).toContainText('Not marked')
    await expect(row(i)).toBeFocused()
    expect(await row(i).getAttribute('data-key')).toBe(open())
    expect(seen).not.toContain(open())
    seen.push(open())
    await press('r')
    await expect.poll(open).not.toBe(seen.at(-1))
    await expect(row(i)).toContainText('Reviewed')
  }
  const seconds = (Date.now() - began) / 1000 / ITEMS
  const sorted = delays.toSorted((a, b) => a - b).map(Math.round)
  console.info(
    `${ITEMS} calls heard and reviewed: ${(keys / ITEMS).toFixed(2)} keys and ${seconds.toFixed(2)} s each; ` +
      `key to first sound: half within ${sorted[Math.floor(ITEMS / 2)]} ms, 95 % within ${sorted[Math.floor(ITEMS * 0.95)]} ms`,
  )
  // Ten calls: twelve keys.
  expect(keys).toBe(ITEMS + 2)
  expect(seconds).toBeLessThan(MAX_SECONDS)
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
