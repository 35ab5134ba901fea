import { writeFileSync } from 'node:fs'
import { chromium, type Page } from '@playwright/test'
import type { Fix } from '../../apps/server/src/devices/gps/sealed-point.ts'
import { testBrowser } from '../../e2e/chromium.ts'
import { buildPortal } from '../../scripts/build-portal.ts'
import { addRole, CLIENT } from './fill.ts'
import { fillReports } from './fill-reports.ts'
import { framesWhile } from './frames.ts'
import { addVisitor, type Archive, makeArchive, PASSWORD, startServer } from './house.ts'
import { quantile } from './quantile.ts'

/** Positions of the one phone that is looked at: one a second, for a day and a bit. */
const POSITIONS = 100_000
/** Pictures of each movement, and milliseconds of the replay. */
const [STEPS, REPLAYED_MS] = [180, 3000]
const USER = 'mapper'
/** What the page of a phone's positions asks for. */
const ACTIONS = ['devices:read', 'devices.gps:list', 'dashboard:read', 'payloads.places:read']

/** What a day's way of 100,000 positions is like on the map: milliseconds between pictures while it is dragged, brought nearer and replayed. */
export async function measureMap(
  until: number,
  facts: object,
  file: string,
  say: (step: string) => void,
): Promise<void> {
  const archive = await makeArchive({ rows: 1000, groups: 2, devices: 1, until }, say)
  try {
    await fillReports(archive, {
      devices: 1,
      groups: 1,
      positions: POSITIONS,
      logs: 1,
      commands: 1,
      gaps: 1,
      activities: 1,
      telemetry_every: 3600,
      until,
      fixes: wander(),
    })
    const figures = await look(archive, until, say)
    const line = ([name, frames]: [string, readonly number[]]) =>
      `${name.padEnd(9)} p50 ${quantile(frames, 0.5).toFixed(0)}, p95 ${quantile(frames, 0.95).toFixed(0)}, longest ${Math.max(...frames).toFixed(0)} ms (${frames.length} pictures)`
    console.log(`\nA map of ${POSITIONS} positions\n\n${Object.entries(figures).map(line).join('\n')}`)
    writeFileSync(file, `${JSON.stringify({ title: 'Map', ...facts, figures }, undefined, 2)}\n`)
  } finally {
    await archive.close()
  }
}

/** A way through a city, on foot and by car, the same in every run. */
function* wander(): Generator<Pick<Fix, 'latitude' | 'longitude'>> {
  let [seed, heading, speed, latitude, longitude] = [1, 0, 1.4, 51.5, -0.12]
  const dice = () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647
  for (;;) {
    if (dice() < 0.002) speed = dice() < 0.5 ? 1.4 : 9
    heading += (dice() - 0.5) * 0.5
    // Homewards, where it has gone far.
    if (Math.hypot(latitude - 51.5, longitude + 0.12) > 0.15)
      heading = Math.atan2(51.5 - latitude, -0.12 - longitude)
    latitude += (Math.sin(heading) * speed) / 111_320
    longitude += (Math.cos(heading) * speed) / 69_000
    yield { latitude, longitude }
  }
}

async function look(archive: Archive, until: number, say: (step: string) => void) {
  await buildPortal(say)
  await addRole(archive.owner, archive.client_id, 'Everything', 'all', ACTIONS)
  await addVisitor(archive, USER, 'Everything')
  const server = await startServer(archive, undefined, {}, ['api'])
  const { executablePath, args, env } = await testBrowser()
  const browser = await chromium.launch({ executablePath, args, env })
  try {
    const page = await browser.newPage({
      baseURL: `http://127.0.0.1:${server.port}`,
      viewport: { width: 1440, height: 900 },
    })
    await signIn(page)
    const [from, to] = [until - 86_400, until].map((time) => new Date(time * 1000).toISOString().slice(0, 10))
    await page.goto(`/dashboard/devices/device-1/gps?from=${from}&to=${to}`)
    say('Loading the positions …')
    const map = page.getByRole('application')
    await map.waitFor()
    await page.getByText(POSITIONS.toLocaleString('en-GB'), { exact: true }).waitFor({ timeout: 120_000 })
    await map.scrollIntoViewIfNeeded()
    const box = await map.boundingBox()
    if (!box) throw new Error('the map has no place')
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2]
    say('Dragging it …')
    await page.mouse.move(x, y)
    await page.mouse.down()
    const dragged = await framesWhile(page, () =>
      map.evaluate(moveEachFrame, { x, y, steps: STEPS, event: 'pointermove' }),
    )
    await page.mouse.up()
    say('Bringing it nearer and farther …')
    const zoomed = await framesWhile(page, () =>
      map.evaluate(moveEachFrame, { x, y, steps: STEPS, event: 'wheel' }),
    )
    say('Replaying it …')
    await page.getByRole('button', { name: 'Replay', exact: true }).click()
    const replayed = await framesWhile(page, () => page.waitForTimeout(REPLAYED_MS))
    return { dragged, zoomed, replayed }
  } finally {
    await browser.close()
    await server.stop()
  }
}

/** In the page: a movement for each picture, as fast hands make them. */
function moveEachFrame(
  element: Element,
  { x, y, steps, event }: { x: number; y: number; steps: number; event: string },
): Promise<void> {
  return new Promise((resolve) => {
    let step = 0
    const next = () => {
      if (step === steps) return resolve()
      const common = { bubbles: true, cancelable: true, pointerId: 1 }
      const [clientX, clientY] = [x + 250 * Math.sin(step / 12), y + step]
      const deltaY = step < steps / 2 ? -12 : 12
      element.dispatchEvent(
        event === 'wheel'
          ? new WheelEvent(event, { ...common, clientX: x, clientY: y, deltaY })
          : new PointerEvent(event, { ...common, clientX, clientY }),
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
