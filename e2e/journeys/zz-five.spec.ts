import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { MEDIA_FOLDER } from '@custodia/simulator'
import { expect, type Page, test } from './test.ts'
import { newId } from '../../apps/server/src/http/new-id.ts'
import { demoPhoneOf } from './demo-phone.ts'
import { openSession, watch } from './person.ts'

/** Calls to review; one more follows the last one. */
const ITEMS = 500
const NAME = 'Keyboard Harrow'
/** Duration of each in seconds: longer than the journey listens. */
const SECONDS = 14
/** Maximum seconds per item: a bound for hangs, not a measurement. */
const MOST_SECONDS = 20
void MOST_SECONDS

/** Uploads calls in a format that every browser plays. */
async function recordCalls(): Promise<void> {
  const { carried, phone } = await demoPhoneOf('globex', 'pt-BR', 2)
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
  const { waiting, refused } = await phone.sync({ patience: 900 })
  expect({ waiting, refused }).toEqual({ waiting: 0, refused: 0 })
}


test('500', async ({ page, context }) => {
  test.setTimeout(1_500_000)
  const t0 = Date.now()
  await recordCalls()
  console.log('recorded', (Date.now() - t0) / 1000)
  const complaints = watch(page)
  await openSession(page, 'en-GB', 'globex', 'gina', `/dashboard/services/calls?mark=none&search=${encodeURIComponent(NAME)}`)
  const cdp = await context.newCDPSession(page)
  await cdp.send('Performance.enable')
  const heap = async () => { await cdp.send('HeapProfiler.collectGarbage'); const m = (await cdp.send('Performance.getMetrics')).metrics; const g = (n: string) => m.find((x) => x.name === n)?.value ?? 0; return `${(g('JSHeapUsedSize')/1e6).toFixed(1)} MB nodes ${g('Nodes')} listeners ${g('JSEventListeners')}` }
  const head = async () => (await page.locator('main h1').locator('..').innerText()).replace(/\n/g, ' ')
  const focus = () => page.evaluate(() => document.activeElement?.tagName + ' ' + (document.activeElement?.getAttribute('data-index') ?? '') + ' ' + document.activeElement?.textContent?.slice(0, 80))
  console.log(await head(), await heap())
  await page.keyboard.press('j'); await page.keyboard.press('o'); await page.waitForTimeout(1500)
  const cur = () => new URL(page.url()).searchParams.get('preview') ?? ''
  const mode = process.env['MODE'] ?? 'r'
  const times: number[] = [], lost: string[] = [], seen = new Set<string>()
  for (let i = 0; i < ITEMS; i++) {
    const before = cur(); seen.add(before)
    const t = performance.now()
    await page.keyboard.press(mode === 'j' ? 'ArrowDown' : 'r')
    let moved = true
    try { await page.waitForFunction((b) => (new URL(location.href).searchParams.get('preview') ?? '') !== b, before, { timeout: 5000, polling: 5 }) } catch { moved = false }
    times.push(performance.now() - t)
    const f = await page.evaluate(() => { const e = document.activeElement; return e?.getAttribute('role') === 'row' ? (e.getAttribute('data-key') ?? '') : '!' + e?.tagName + e?.textContent?.slice(0, 40) })
    if (f !== cur()) lost.push(`${i}: focus ${f} open ${cur()}`)
    if (!moved) { console.log('not moved at', i, await focus()); break }
    if (i % 100 === 99) console.log(i + 1, await heap(), await head())
  }
  const avg = (a: number[]) => (a.reduce((s, x) => s + x, 0) / a.length).toFixed(1), p95 = (a: number[]) => (a.toSorted((x, y) => x - y)[Math.floor(a.length * 0.95)] ?? 0).toFixed(0)
  console.log('reviewed', times.length, 'distinct', seen.size, 'first50', avg(times.slice(0, 50)), p95(times.slice(0, 50)), 'last50', avg(times.slice(-51, -1)), p95(times.slice(-51, -1)), 'lost', lost.length, lost.slice(0, 5))
  await page.waitForTimeout(3000)
  console.log('end', await head(), await heap(), await focus())
  await page.keyboard.press('z'); await page.waitForTimeout(2000)
  console.log('undo', await focus(), '|', await head())
  await page.reload(); await page.waitForTimeout(2500); console.log('reload', await head())
  // burst: keys without waiting
  await page.goto('/dashboard/services/calls?mark=done&search=' + encodeURIComponent(NAME)).catch(() => {})
  await page.goto(`/dashboard/services/calls?search=${encodeURIComponent(NAME)}`); await page.waitForTimeout(2500)
  console.log('all', await head())
  await page.keyboard.press('j'); await page.keyboard.press('o'); await page.waitForTimeout(1000)
  const b0 = Date.now()
  for (let i = 0; i < 100; i++) await page.keyboard.press('ArrowDown')
  await page.waitForTimeout(500)
  console.log('burst of 100 arrows', Date.now() - b0, await focus())
  for (let i = 0; i < 200; i++) { await page.keyboard.press('ArrowDown'); await page.waitForTimeout(15) }
  await page.waitForTimeout(1500)
  console.log('200 more', await focus(), await heap())
  console.log(complaints)
  expect(seen.size).toBeGreaterThan(10)
})
