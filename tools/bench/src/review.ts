import { writeFileSync } from 'node:fs'
import type { CDPSession, Page } from '@playwright/test'
import { painted } from '../../../e2e/painted.ts'
import { signInReviewer, startDemoBrowser } from './demo.ts'
import { quantile } from './load.ts'
import { framesWhile } from './map.ts'
import type { BenchContext, Options } from './options.ts'

/** Number of memory measurements. */
const MEMORY_SAMPLES = 5
/** Milliseconds that the reader's line adds to each request. */
const LATENCY = 60
/** Milliseconds until a key must have had its effect. */
const PATIENCE = 60_000
/** Milliseconds until the server has prepared a recording for playback. */
const PREPARED_WITHIN = 600_000

/**
 * The review of many items: milliseconds from a key to the facts of the next item, on its page and next to the list, and to its first sound;
 * frames of a grid that is scrolled, and memory.
 */
export async function measureReview({ options, facts, file, say }: BenchContext): Promise<void> {
  const { items, photos } = options
  const { browser, url, stop } = await startDemoBrowser(options, { hasConverter: true, items, photos }, say)
  try {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
    await signInReviewer(page, url)
    const devtools = await page.context().newCDPSession(page)
    say('Stepping through the calls …')
    const review = await stepThrough(page, devtools, url, options)
    say('Stepping through the calls next to their list …')
    const panel = await stepInPanel(page, url, options)
    say('Scrolling the photos …')
    const grid = await scroll(page, url, options)
    const figures = { ...review, panel, grid }
    console.log(`
Key to the facts of the next item: p50 ${at(review.facts, 0.5)}, p95 ${at(review.facts, 0.95)} ms (${review.facts.length} items, ${LATENCY} ms of line)
Key to them next to the list:      p50 ${at(panel, 0.5)}, p95 ${at(panel, 0.95)} ms (${panel.length} items)
Key to its first sound:            p50 ${at(review.sound, 0.5)}, p95 ${at(review.sound, 0.95)} ms (${review.sound.length} items)
Memory after each ${Math.ceil(items / MEMORY_SAMPLES)} items:       ${review.memory.map(({ heap, nodes }) => `${heap} MiB, ${nodes} nodes`).join('; ')}
Frames of a grid of ${grid.tiles}:       p50 ${at(grid.frames, 0.5)}, p95 ${at(grid.frames, 0.95)} ms (${grid.frames.length} frames; ${grid.pictures} pictures on the last screen)`)
    writeFileSync(file, `${JSON.stringify({ title: 'Review', ...facts, ...figures }, undefined, 2)}\n`)
    await page.context().close()
  } finally {
    await stop()
  }
}

const at = (values: readonly number[], share: number) => quantile(values, share).toFixed(0)

async function stepThrough(
  page: Page,
  devtools: CDPSession,
  url: string,
  { items, played_every, look_milliseconds }: Options,
) {
  await page.goto(`${url}/dashboard/services/calls?states=Processed`)
  await page.locator('[role=row][data-index="0"]').waitFor()
  await painted(page)
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
    figures.facts.push(await page.evaluate(() => (globalThis as unknown as PageTimes).facts()))
    if (i % played_every === 0) {
      // The player appears once the recording is prepared.
      await page.locator('main audio').waitFor({ state: 'attached', timeout: PREPARED_WITHIN })
      await page.keyboard.press('Space')
      figures.sound.push(await page.evaluate(() => (globalThis as unknown as PageTimes).sound()))
      await page.keyboard.press('Space')
    }
    await page.waitForTimeout(look_milliseconds)
    if (i % Math.ceil(items / MEMORY_SAMPLES) === 0) figures.memory.push(await getMemory(devtools))
  }
  return figures
}

/** Milliseconds from a key to the facts of the next row, next to the list. */
async function stepInPanel(
  page: Page,
  url: string,
  { items, look_milliseconds }: Options,
): Promise<number[]> {
  await page.goto(`${url}/dashboard/services/calls?states=Processed`)
  await page.locator('[role=row][data-index="0"]').waitFor()
  await painted(page)
  await page.keyboard.press('o')
  await page.locator('main aside dl').first().waitFor()
  await page.evaluate(WATCH)
  const facts: number[] = []
  for (let i = 1; i <= items - 2; i++) {
    await page.keyboard.press('j')
    facts.push(await page.evaluate(() => (globalThis as unknown as PageTimes).facts()))
    await page.waitForTimeout(look_milliseconds)
  }
  return facts
}

interface PageTimes {
  facts(): Promise<number>
  sound(): Promise<number>
}

/** In the page: milliseconds from the last key until the facts are painted, and until the sound plays. */
const WATCH = `(() => {
  const here = () => location.pathname + location.search
  let pressed = 0, found = 0, shown = here(), played = 0, waiting = () => {}
  addEventListener('keydown', () => { pressed = performance.now(); played = 0; requestAnimationFrame(look) }, true)
  document.addEventListener('playing', () => { played = performance.now(); waiting() }, true)
  const getFacts = () => [...document.querySelectorAll('main dl')].map((list) => list.textContent).join()
  let last = getFacts()
  const isThere = () => here() !== shown && getFacts() !== '' && getFacts() !== last
  // Looks in each frame from the key on: the browser driver would add the time that it takes to ask.
  const look = () => {
    if (isThere()) [found, shown, last] = [performance.now(), here(), getFacts()]
    else if (found < pressed) requestAnimationFrame(look)
  }
  const within = (what, start) => new Promise((resolve, reject) => {
    const late = () => reject(new Error(what + ' within ${PATIENCE / 1000} s of a key: ' + here()))
    setTimeout(late, ${PATIENCE})
    start(resolve)
  })
  globalThis.facts = () => within('no facts of the next item', (resolve) => {
    const report = () => (found < pressed ? requestAnimationFrame(report) : resolve(found - pressed))
    report()
  })
  globalThis.sound = () => within('no sound', (resolve) => {
    waiting = () => resolve(played - pressed)
    if (played > pressed) waiting()
  })
})()`

async function getMemory(devtools: CDPSession) {
  await devtools.send('HeapProfiler.collectGarbage')
  const { usedSize } = await devtools.send('Runtime.getHeapUsage')
  const { nodes } = await devtools.send('Memory.getDOMCounters')
  return { heap: Math.round(usedSize / 2 ** 20), nodes }
}

async function scroll(page: Page, url: string, { screens }: Options) {
  await page.goto(`${url}/dashboard/services/photos?states=Processed`)
  const tiles = page.getByRole('gridcell')
  await tiles.first().waitFor()
  await tiles.first().hover()
  // The frames of placeholders would mean nothing: wait for a picture.
  await page.locator('[role=gridcell] img').first().waitFor({ timeout: PREPARED_WITHIN })
  const frames = await framesWhile(page, async () => {
    for (let i = 0; i < screens * 10; i++) {
      await page.mouse.wheel(0, 90)
      await page.waitForTimeout(16)
    }
  })
  const pictures = await page.locator('[role=gridcell] img').count()
  return { frames, pictures, tiles: await page.locator('h1 + .tabular').innerText() }
}
