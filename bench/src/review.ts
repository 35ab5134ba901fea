import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeFileSync } from 'node:fs'
import { openPhone, memoryStore } from '@custodia/device-sdk'
import { carriedPhone, chance, type DemoAccount, MEDIA_FOLDER } from '@custodia/simulator'
import { type CDPSession, chromium, type Page } from '@playwright/test'
import { ulid } from 'ulid'
import { testBrowser } from '../../e2e/chromium.ts'
import { startServer } from '../../e2e/server.ts'
import { callRecording } from '../../apps/simulator/src/calls.ts'
import { CONTACTS } from '../../apps/simulator/src/contacts.ts'
import { type Media, openMedia } from '../../apps/simulator/src/media.ts'
import { pictureRecording } from '../../apps/simulator/src/room-recordings.ts'
import { framesWhile } from './frames.ts'
import { quantile } from './quantile.ts'

/** Every so many calls one is played. */
const PLAYED_EVERY = 10
/** Items after which memory is looked at. */
const LOOKS = 5
/** Milliseconds that a reader looks at an item at least before the next one: nobody decides faster. */
const LOOK = 300
/** What a reader's line adds to each request, in ms. */
const LATENCY = 60
/** Somebody of the demo whose phone goes on, and who reviews it. */
const [PERSON, REVIEWER] = ['harriet.cole@acme.example', 'alice']
/** Screens that the grid is scrolled by. */
const SCREENS = 60

interface ReviewOptions {
  /** Calls that are gone through, and photos in the grid. */
  items: number
  photos: number
}

/** What going through many items is like: milliseconds from a key to the facts of the next item and to its first sound, frames of a grid that is scrolled, and memory. */
export async function measureReview(
  { items, photos }: ReviewOptions,
  facts: object,
  file: string,
  say: (step: string) => void,
): Promise<void> {
  say('Starting the demo …')
  const running = await startServer({ hasConverter: true })
  const { executablePath, args, env } = await testBrowser()
  const browser = await chromium.launch({ executablePath, args, env })
  try {
    say(`Recording ${items} calls and ${photos} photos …`)
    await record(running.url, running.dataDir, { items, photos })
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
    await page.goto(`${running.url}/sign-in`)
    await page.getByRole('button', { name: new RegExp(`^${REVIEWER}`) }).click()
    await page.waitForURL(/\/dashboard$/)
    const devtools = await page.context().newCDPSession(page)
    say('Going through the calls …')
    const review = await goThrough(page, devtools, running.url, items)
    say('Scrolling the photos …')
    const grid = await scroll(page, running.url)
    const figures = { ...review, grid }
    console.log(`
Key to the facts of the next item: p50 ${at(review.facts, 0.5)}, p95 ${at(review.facts, 0.95)} ms (${review.facts.length} items, ${LATENCY} ms of line)
Key to its first sound:            p50 ${at(review.sound, 0.5)}, p95 ${at(review.sound, 0.95)} ms (${review.sound.length} items)
Memory after each ${Math.ceil(items / LOOKS)} items:       ${review.memory.map(({ heap, nodes }) => `${heap} MiB, ${nodes} nodes`).join('; ')}
Frames of a grid of ${grid.tiles}:       p50 ${at(grid.frames, 0.5)}, p95 ${at(grid.frames, 0.95)} ms (${grid.frames.length} frames; ${grid.pictures} pictures on the last screen)`)
    writeFileSync(file, `${JSON.stringify({ title: 'Review', ...facts, ...figures }, undefined, 2)}\n`)
  } finally {
    await browser.close()
    await running.stop()
  }
}

const at = (values: readonly number[], share: number) => quantile(values, share).toFixed(0)

/** Lets another phone of somebody record, a thing a minute, through the phones' own protocol. */
async function record(url: string, dataDir: string, { items, photos }: ReviewOptions): Promise<void> {
  const accounts = JSON.parse(
    await readFile(join(dataDir, 'demo', 'enrolments.json'), 'utf8'),
  ) as DemoAccount[]
  const account = accounts.find(({ people }) => people.some(({ email }) => email === PERSON))
  const person = account?.people.find(({ email }) => email === PERSON)
  if (!account || !person) throw new Error('the demo has no such person')
  const media = await openMedia(MEDIA_FOLDER)
  const carried = carriedPhone(person, 2)
  const phone = await openPhone({
    enrolment: { server_url: url, ...account },
    identity: carried.identity,
    store: memoryStore(),
    onEvent: () => undefined,
  })
  const now = Math.floor(Date.now() / 1000)
  const moment = (i: number) => {
    const payload_reference = ulid()
    return { payload_reference, payload_time: now - 60 * (i + 1), dice: chance(payload_reference) }
  }
  const short = shortest(media)
  for (let i = 0; i < items; i++) {
    const contact = CONTACTS['en-GB'][i % CONTACTS['en-GB'].length]
    await phone.record(callRecording(carried, moment(i), short, contact ? [contact] : []))
  }
  for (let i = 0; i < photos; i++)
    await phone.record(pictureRecording(carried, 'Photo', moment(i), media.pick('photo', 'en-GB', i)))
  await phone.sync({ patience: 3600 })
}

/** The call of the repository with the fewest bytes: how many there are counts here. */
function shortest(media: Media) {
  const calls = Array.from({ length: 8 }, (_, turn) => media.pick('call', 'en-GB', turn))
  return calls.reduce((least, each) => (each.bytes < least.bytes ? each : least))
}

async function goThrough(page: Page, devtools: CDPSession, url: string, items: number) {
  await page.goto(`${url}/dashboard/services/calls?states=Processed`)
  await page.locator('[role=row][data-index="0"]').waitFor()
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await page.locator('main dl').first().waitFor()
  await page.evaluate(WATCH)
  await devtools.send('Network.enable')
  await devtools.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: LATENCY,
    downloadThroughput: -1,
    uploadThroughput: -1,
  })
  const figures = {
    facts: [] as number[],
    sound: [] as number[],
    memory: [] as { heap: number; nodes: number }[],
  }
  for (let i = 1; i <= items - 2; i++) {
    await page.keyboard.press('n')
    figures.facts.push(await page.evaluate(() => (globalThis as unknown as Watched).facts()))
    if (i % PLAYED_EVERY === 0) {
      // One that is still being prepared has no player; its page follows by itself.
      await page.locator('main audio').waitFor({ state: 'attached', timeout: 0 })
      await page.keyboard.press('Space')
      figures.sound.push(await page.evaluate(() => (globalThis as unknown as Watched).sound()))
      await page.keyboard.press('Space')
    }
    await page.waitForTimeout(LOOK)
    if (i % Math.ceil(items / LOOKS) === 0) figures.memory.push(await memoryOf(devtools))
  }
  return figures
}

interface Watched {
  facts(): Promise<number>
  sound(): Promise<number>
}

/** In the page: how long after the last key its facts are painted, and its sound is heard. */
const WATCH = `(() => {
  let pressed = 0, shown = location.pathname, played = 0, waiting = () => {}
  addEventListener('keydown', () => { pressed = performance.now(); played = 0 }, true)
  document.addEventListener('playing', () => { played = performance.now(); waiting() }, true)
  const factsOf = () => [...document.querySelectorAll('main dl')].map((list) => list.textContent).join()
  let told = factsOf()
  const isThere = () => location.pathname !== shown && factsOf() !== '' && factsOf() !== told
  globalThis.facts = () => new Promise((resolve) => {
    const look = () => {
      if (!isThere()) return requestAnimationFrame(look)
      shown = location.pathname
      told = factsOf()
      resolve(performance.now() - pressed)
    }
    look()
  })
  globalThis.sound = () => new Promise((resolve) => {
    waiting = () => resolve(played - pressed)
    if (played > pressed) waiting()
  })
})()`

async function memoryOf(devtools: CDPSession) {
  await devtools.send('HeapProfiler.collectGarbage')
  const { usedSize } = await devtools.send('Runtime.getHeapUsage')
  const { nodes } = await devtools.send('Memory.getDOMCounters')
  return { heap: Math.round(usedSize / 2 ** 20), nodes }
}

async function scroll(page: Page, url: string) {
  await page.goto(`${url}/dashboard/services/photos?states=Processed`)
  const tiles = page.getByRole('gridcell')
  await tiles.first().waitFor()
  await tiles.first().hover()
  // A grid of placeholders would scroll by itself: what is measured has its pictures.
  await page.locator('[role=gridcell] img').first().waitFor({ timeout: 600_000 })
  const frames = await framesWhile(page, async () => {
    for (let i = 0; i < SCREENS * 10; i++) {
      await page.mouse.wheel(0, 90)
      await page.waitForTimeout(16)
    }
  })
  const pictures = await page.locator('[role=gridcell] img').count()
  return { frames, pictures, tiles: await page.locator('h1 + .tabular').innerText() }
}
