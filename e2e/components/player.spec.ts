import type { Page } from '@playwright/test'
import type { Answer, Api } from '../../packages/contract/src/index.ts'
import { UNSET_FIELDS } from './unset-fields.ts'
import { expect, refused, test, type Wire } from './wire.ts'

type Payload = Answer<Api['readPayload']>

const REFERENCE = '01K9Z00000000000000000CALL'
/** Duration of the audio in seconds. */
const SOUND = 8

const call = (more: Partial<Payload> = {}): Payload => ({
  ...UNSET_FIELDS,
  client: 'acme',
  payload_reference: REFERENCE,
  payload_type: 'Call',
  payload_state: 'Processed',
  payload_time: 1_790_000_000,
  device_reference: 'phone-1',
  device_user_reference: 'harriet',
  group: 'North',
  is_late: false,
  is_legacy: false,
  updated_at: 1_790_000_100,
  announced_at: 1_790_000_050,
  duration: SOUND,
  direction: 'I',
  parties: [{ phone_number: '+442079460958', contact_name: 'Peter Quill' }],
  party_count: 1,
  media: {
    content_type: 'audio/wav',
    size: 128_000,
    duration: SOUND - 0.4,
    is_playable: true,
    playback: 'original',
    has_peaks: true,
    being_prepared: false,
  },
  ...more,
})

const EXPORT = '01J9ZK3V5Q8Y7XH2M4N6P07F3K'
const NO_MARKS: Answer<Api['listMarks']> = {
  payload_reference: REFERENCE,
  marks: [],
  own: 'not_own',
  heard: 'none',
  listeners: [],
  length: 8,
}

/** Eight seconds of silence as a WAV file. */
function silence(): Buffer {
  const samples = 8000 * SOUND
  const file = Buffer.alloc(44 + samples, 128)
  file.write('RIFF')
  file.writeUInt32LE(36 + samples, 4)
  file.write('WAVEfmt ', 8)
  file.writeUInt32LE(16, 16)
  file.writeUInt16LE(1, 20)
  file.writeUInt16LE(1, 22)
  file.writeUInt32LE(8000, 24)
  file.writeUInt32LE(8000, 28)
  file.writeUInt16LE(1, 32)
  file.writeUInt16LE(8, 34)
  file.write('data', 36)
  file.writeUInt32LE(samples, 40)
  return file
}

async function serve(page: Page, wire: Wire, payload = call()): Promise<void> {
  wire.answers.readPayload = () => payload
  wire.answers.readPayloadPeaks = () => ({
    duration: SOUND,
    peaks: Array.from({ length: 400 }, (_, i) => (i % 2 === 0 ? -1 : 1) * (20 + (i % 90))),
    silences: [],
  })
  wire.answers.readPayloadAudit = () => ({
    payload_reference: REFERENCE,
    records: [],
    receipts: [],
    listeners: [],
    length: null,
  })
  wire.answers.listMarks = () => NO_MARKS
  wire.answers.reportPlay = () => ({ payload_reference: REFERENCE, parts: [], length: SOUND })
  wire.answers.listCommentsOfPayload = () => ({ count: 0, data: [] })
  wire.answers.readPayloadData = () => ({
    payload_reference: REFERENCE,
    status: 'Ok',
    s3_url: new URL('/sound.wav', page.url()).href,
  })
  await page.route('**/sound.wav', (route) => route.fulfill({ body: silence(), contentType: 'audio/wav' }))
}

const slider = (page: Page) => page.getByRole('slider', { name: 'Position in the recording' })
const play = (page: Page) => page.getByRole('button', { name: /^Play\b/ })
const pause = (page: Page) => page.getByRole('button', { name: /^Pause\b/ })

test('the player is ready without requesting audio, and plays and pauses by button or key with one request', async ({
  page,
  wire,
}) => {
  await serve(page, wire)
  await wire.show('player')
  await expect(play(page)).toBeEnabled()
  await expect(page.locator('audio')).toHaveCount(1)
  await expect.poll(() => wire.asked('readPayloadData')).toEqual([])
  await play(page).click()
  await expect(pause(page)).toBeVisible()
  await page.locator('h1').evaluate((title) => {
    title.tabIndex = -1
    title.focus()
  })
  await page.keyboard.press(' ')
  await expect(play(page)).toBeVisible()
  await page.keyboard.press(' ')
  await expect(pause(page)).toBeVisible()
  await expect
    .poll(() => wire.asked('readPayloadData').map(({ query }) => query.get('action')))
    .toEqual(['play'])
})

test('the waveform and the slider share one axis and one playhead, and the player keys work after them', async ({
  page,
  wire,
}) => {
  await serve(page, wire)
  await wire.show('player')
  const wave = page.locator('[part="wrapper"]')
  await expect(wave).toBeVisible()
  const [picture, axis] = [await wave.boundingBox(), await slider(page).boundingBox()]
  if (!picture || !axis) throw new Error('nothing is drawn')
  // Half of the knob extends beyond the waveform at each side: its centre spans the waveform.
  const knob = (axis.width - picture.width) / 2
  expect(knob).toBeCloseTo(8, 0)
  expect(picture.x - axis.x).toBeCloseTo(knob, 0)
  expect(axis.y).toBeLessThanOrEqual(picture.y)
  expect(axis.y + axis.height).toBeGreaterThan(picture.y + picture.height)
  // A click on the waveform seeks, and the played part is coloured.
  await page.mouse.click(picture.x + picture.width / 2, picture.y + picture.height / 2)
  const share = async () =>
    Number(await slider(page).inputValue()) / Number(await slider(page).getAttribute('max'))
  expect(await share()).toBeCloseTo(0.5, 1)
  const progress = await page.locator('[part="progress"]').boundingBox()
  expect((progress?.width ?? 0) / picture.width).toBeCloseTo(await share(), 1)
  await expect(page.locator('[part="cursor"]')).toHaveCSS('width', '0px')
  await slider(page).focus()
  await page.keyboard.press('Home')
  await expect(slider(page)).toHaveValue('0')
  await page.keyboard.press('ArrowRight')
  await expect(slider(page)).toHaveValue('5')
  await page.keyboard.press('j')
  await expect(slider(page)).toHaveValue('0')
  await page.keyboard.press(']')
  await expect(page.getByRole('combobox', { name: 'Speed' })).toHaveValue('1.25')
  await page.keyboard.press(' ')
  await expect(pause(page)).toBeVisible()
})

test('a call shows one duration, both parties, the last user who played it, and what was done with it', async ({
  page,
  wire,
}) => {
  await serve(page, wire)
  await wire.show('call')
  // The audio is slightly shorter than the device's whole seconds.
  await expect(page.getByText('0:08', { exact: true })).toHaveCount(2)
  await expect(page.getByText('0:07', { exact: true })).toHaveCount(0)
  await slider(page).focus()
  await expect(slider(page)).toBeFocused()
  await page.keyboard.press('End')
  await expect(slider(page)).toHaveAttribute('aria-valuetext', '8 seconds of 8 seconds')
  await expect(page.getByRole('heading', { name: 'Call from Peter Quill to harriet' })).toBeVisible()
  await expect(page.getByText('Not played yet')).toBeVisible()
  wire.answers.readPayloadAudit = () => ({
    payload_reference: REFERENCE,
    records: [
      { portal_user: 'alice', name: null, action: 'payloads:read', time: 1_790_000_900, detail: null },
      {
        portal_user: 'bob',
        name: 'Bob',
        action: 'payloads.marks:withdraw',
        time: 1_790_000_870,
        detail: 'flagged',
      },
      { portal_user: 'bob', name: 'Bob', action: 'payloads:download', time: 1_790_000_850, detail: EXPORT },
      { portal_user: 'bob', name: 'Bob', action: 'payloads:play', time: 1_790_000_800, detail: null },
    ],
    receipts: [],
    listeners: [
      { heard_by: 'bob', first_at: 1_790_000_800, last_at: 1_790_000_830, parts: [{ from: 0, to: 6 }] },
    ],
    length: 8,
  })
  await wire.show('call')
  await expect(page.getByText('Last played by Bob')).toBeVisible()
  // The audit of the recording says how much was heard, which mark was removed, and in which export it left.
  await expect(page.getByText(/^Bob · .* · heard 0:06 of 0:08, 75 %$/)).toBeVisible()
  await expect(page.getByText('Mark withdrawn: Flagged')).toBeVisible()
  await expect(page.getByText('Downloaded the original (export 7F3K)')).toBeVisible()
  // Without the permission the page does not say who played it; audio of another length is reported.
  wire.without('payloads.audit:read')
  wire.answers.readPayload = () => call({ duration: 600 })
  await wire.show('call')
  await expect(play(page)).toBeVisible()
  await expect(page.getByText('Last played by Bob')).toHaveCount(0)
  await expect(page.getByText('Duration reported by the phone: 10:00.')).toBeVisible()
  await expect(page.getByText('0:08', { exact: true }).first()).toBeVisible()
})

test('the space bar neither scrolls nor requests audio when a call cannot be played', async ({
  page,
  wire,
}) => {
  await page.setViewportSize({ width: 900, height: 300 })
  const top = () => page.evaluate(() => scrollY)
  const failed = call({ payload_state: 'Failed', failure: 'wrong_checksum' })
  for (const payload of [call(), failed]) {
    await serve(page, wire, payload)
    if (payload !== failed) wire.without('payloads:play')
    await wire.show('call')
    await expect(page.getByRole('heading', { level: 1 }).last()).toBeVisible()
    const reason = payload === failed ? 'could not be processed' : 'payloads:play'
    await expect(page.getByText(reason).first()).toBeAttached()
    await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur())
    await page.keyboard.press(' ')
    await page.keyboard.press(' ')
    // Scrolling takes effect with the next frames.
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
    expect(await top()).toBe(0)
  }
  await expect.poll(() => wire.asked('readPayloadData')).toEqual([])
})

test('a refused playback shows an error and can be retried', async ({ page, wire }) => {
  await serve(page, wire)
  wire.answers.readPayloadData = () => ({ payload_reference: REFERENCE, status: 'GroupNotAuthorised' })
  await wire.show('player')
  await play(page).click()
  await expect(page.getByRole('alert')).toContainText('The recording cannot be played')
  await serve(page, wire)
  await page.getByRole('button', { name: 'Retry' }).click()
  await expect(pause(page)).toBeVisible()
  await expect(page.getByRole('alert')).toHaveCount(0)
})

const film = call({
  payload_type: 'Video',
  media: {
    content_type: 'video/mp4',
    size: 128_000,
    duration: SOUND,
    is_playable: true,
    playback: 'original',
    has_peaks: true,
    being_prepared: false,
  },
})

test('a thumbnail in preparation, or after a failed call, is requested again', async ({ page, wire }) => {
  await serve(page, wire, film)
  const jpeg = '/9j/4AAQSkZJRg=='
  const rest = { payload_reference: REFERENCE, status: 'Ok' } as const
  const answers = [refused('unavailable'), { data: [{ ...rest, being_prepared: true }] }]
  wire.answers.readThumbnails = () => answers.shift() ?? { data: [{ ...rest, jpeg }] }
  await wire.show('player')
  await expect(page.locator('video')).toHaveAttribute('poster', `data:image/jpeg;base64,${jpeg}`)
})

test('the space bar before the player loads starts it, and a second press cancels', async ({
  page,
  wire,
}) => {
  wire.answers.readThumbnails = () => ({ data: [] })
  for (const presses of [1, 2]) {
    await serve(page, wire, film)
    let release = () => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    await page.route('**/film-*.js', async (route) => {
      await held
      await route.continue()
    })
    await wire.show('player')
    await expect(page.getByRole('region', { name: 'Video' })).toBeVisible()
    for (let i = 0; i < presses; i++) await page.keyboard.press(' ')
    await expect.poll(() => wire.asked('readPayloadData')).toHaveLength(presses - 1)
    release()
    // On the second run the first recording counts as heard.
    await expect(presses === 1 ? pause(page) : play(page)).toBeVisible()
    await expect.poll(() => wire.asked('readPayloadData')).toHaveLength(1)
    await page.unroute('**/film-*.js')
  }
})

test('the placeholder of the controls is as tall as they are', async ({ page, wire }) => {
  await serve(page, wire)
  await page.addInitScript(() => {
    const look = () => {
      const pending = document.querySelector<HTMLElement>('[inert]')
      if (pending) Object.assign(globalThis, { pending: pending.offsetHeight })
      requestAnimationFrame(look)
    }
    look()
  })
  for (const width of [390, 500, 1280]) {
    await page.setViewportSize({ width, height: 800 })
    await wire.show('player')
    await expect(play(page)).toBeVisible()
    const [pending = 0, shown = 0] = await page.evaluate(() => [
      Reflect.get(globalThis, 'pending') as number,
      document.querySelector('[data-play]')?.closest<HTMLElement>('[data-not-printed]')?.offsetHeight,
    ])
    expect(Math.abs(pending - shown), `${width} px: ${pending} and ${shown}`).toBeLessThan(8)
  }
})
