import { writeFileSync } from 'node:fs'
import type { Page } from '@playwright/test'
import type { SealedPosition } from '../../../apps/server/src/devices/reports/gps-keys.ts'
import { painted } from '../../../e2e/painted.ts'
import { startBrowser } from './demo.ts'
import { fillReports } from './fill-reports.ts'
import { addRole, addVisitor, type Archive, CLIENT, makeArchive, PASSWORD } from './fill.ts'
import { quantile } from './load.ts'
import { type BenchContext, type Options, UNTIL } from './options.ts'
import { startServer } from './server.ts'

/** Milliseconds between the frames that a page painted during `act`. */
export async function framesWhile(page: Page, act: () => Promise<void>): Promise<number[]> {
  await page.evaluate(() => {
    const frames: number[] = []
    let last = performance.now()
    const note = (now: number) => {
      frames.push(now - last)
      last = now
      if ('frames' in globalThis) requestAnimationFrame(note)
    }
    Object.assign(globalThis, { frames })
    requestAnimationFrame(note)
  })
  await act()
  return page.evaluate(() => {
    const { frames } = globalThis as unknown as { frames: number[] }
    Reflect.deleteProperty(globalThis, 'frames')
    return frames
  })
}

const USER = 'mapper'
/** The actions that the page of a device's positions needs. */
const ACTIONS = ['devices:read', 'devices.gps:list', 'dashboard:read', 'payloads.places:read']

/** The track of one device on the map: milliseconds between frames while the map is dragged, zoomed and replayed. */
export async function measureMap({ options, facts, file, say }: BenchContext): Promise<void> {
  const { few_rows, few_groups, few_devices, positions } = options
  const shape = { rows: few_rows, groups: few_groups, devices: few_devices, until: UNTIL }
  const archive = await makeArchive(shape, say)
  try {
    await fillReports(archive, {
      devices: 1,
      groups: 1,
      positions,
      logs: 1,
      commands: 1,
      gaps: 1,
      activities: 1,
      telemetry_every: 3600,
      until: UNTIL,
      fixes: wander(),
    })
    const figures = await measureFrames(archive, options, say)
    const line = ([name, frames]: [string, readonly number[]]) =>
      `${name.padEnd(9)} p50 ${quantile(frames, 0.5).toFixed(0)}, p95 ${quantile(frames, 0.95).toFixed(0)}, longest ${Math.max(...frames).toFixed(0)} ms (${frames.length} frames)`
    console.log(`\nA map of ${positions} positions\n\n${Object.entries(figures).map(line).join('\n')}`)
    writeFileSync(file, `${JSON.stringify({ title: 'Map', ...facts, figures }, undefined, 2)}\n`)
  } finally {
    await archive.stop()
  }
}

/** A track through a city, on foot and by car, the same in every run. */
function* wander(): Generator<Pick<SealedPosition, 'latitude' | 'longitude'>> {
  let [seed, heading, speed, latitude, longitude] = [1, 0, 1.4, 51.5, -0.12]
  const dice = () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647
  for (;;) {
    if (dice() < 0.002) speed = dice() < 0.5 ? 1.4 : 9
    heading += (dice() - 0.5) * 0.5
    // Far from the start it turns back.
    if (Math.hypot(latitude - 51.5, longitude + 0.12) > 0.15)
      heading = Math.atan2(51.5 - latitude, -0.12 - longitude)
    latitude += (Math.sin(heading) * speed) / 111_320
    longitude += (Math.cos(heading) * speed) / 69_000
    yield { latitude, longitude }
  }
}

async function measureFrames(archive: Archive, options: Options, say: (step: string) => void) {
  const { positions, map_frames: steps, replay_milliseconds } = options
  await addRole(archive.owner, archive.client_id, 'Everything', 'all', ACTIONS)
  await addVisitor(archive, USER, 'Everything')
  const server = await startServer(archive)
  const { browser, stop: stopBrowser } = await startBrowser(options)
  try {
    const page = await browser.newPage({
      baseURL: `http://127.0.0.1:${server.port}`,
      viewport: { width: 1440, height: 900 },
    })
    await signIn(page)
    const [from, to] = [UNTIL - 86_400, UNTIL].map((time) => new Date(time * 1000).toISOString().slice(0, 10))
    await page.goto(`/dashboard/devices/device-1/gps?from=${from}&to=${to}`)
    say('Loading the positions …')
    const map = page.locator('canvas')
    await map.waitFor()
    await page.getByText(positions.toLocaleString('en-GB'), { exact: true }).waitFor({ timeout: 120_000 })
    await map.scrollIntoViewIfNeeded()
    const box = await map.boundingBox()
    if (!box) throw new Error('the map is not visible')
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2]
    await painted(page)
    say('Dragging it …')
    await page.mouse.move(x, y)
    await page.mouse.down()
    const dragged = await framesWhile(page, () =>
      map.evaluate(moveEachFrame, { x, y, steps, event: 'mousemove' }),
    )
    await page.mouse.up()
    say('Zooming it …')
    const zoomed = await framesWhile(page, () => map.evaluate(moveEachFrame, { x, y, steps, event: 'wheel' }))
    say('Replaying it …')
    await page.getByRole('button', { name: 'Replay', exact: true }).click()
    const replayed = await framesWhile(page, () => page.waitForTimeout(replay_milliseconds))
    return { dragged, zoomed, replayed }
  } finally {
    await stopBrowser()
    await server.stop()
  }
}

/** In the page: one movement per frame. */
function moveEachFrame(
  element: Element,
  { x, y, steps, event }: { x: number; y: number; steps: number; event: string },
): Promise<void> {
  return new Promise((resolve) => {
    let step = 0
    const next = () => {
      if (step === steps) return resolve()
      const common = { bubbles: true, cancelable: true }
      const [clientX, clientY] = [x + 250 * Math.sin(step / 12), y + step]
      const deltaY = step < steps / 2 ? -12 : 12
      element.dispatchEvent(
        event === 'wheel'
          ? new WheelEvent(event, { ...common, clientX: x, clientY: y, deltaY })
          : new MouseEvent(event, { ...common, clientX, clientY, buttons: 1 }),
      )
      step++
      requestAnimationFrame(next)
    }
    requestAnimationFrame(next)
  })
}

async function signIn(page: Page): Promise<void> {
  await page.goto(`/sign-in?client=${CLIENT}`)
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.waitForURL(/\/oidc\//)
  await page.locator('input:not([type=hidden])').first().fill(USER)
  await page.locator('input[type=password]').fill(PASSWORD)
  await page.locator('button[type=submit]').click()
  await page.waitForURL(/\/dashboard/)
}
