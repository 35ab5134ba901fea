import type { BrowserContext, CDPSession, Page } from '@playwright/test'

/** The reader's machine and line (the portal's design): four times slower than ours, 9 Mbit/s, 60 ms. */
const CPU_SLOWDOWN = 4
const LINE = { offline: false, latency: 60, downloadThroughput: 9e6 / 8, uploadThroughput: 9e6 / 8 }
/** A page is there once it has asked for nothing for so long, in ms. */
const QUIET_MS = 1_500

/** What opening a page took. */
export interface Opened {
  /** Until the largest part of it was painted, in ms. */
  lcp: number
  requests: number
  scripts: number
  /** As they came over the line. */
  bytes: number
}

/** Opens an address with nothing in the cache, as the reader's machine would, and waits until it is quiet. */
export async function openPage(
  context: BrowserContext,
  address: string,
): Promise<{ page: Page; opened: Opened }> {
  const page = await context.newPage()
  const devtools = await context.newCDPSession(page)
  const seen = await count(devtools)
  await page.addInitScript(() => {
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) Object.assign(globalThis, { largestPaint: entry.startTime })
    }).observe({ type: 'largest-contentful-paint', buffered: true })
  })
  await devtools.send('Network.emulateNetworkConditions', LINE)
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN })
  await page.goto(address)
  while (performance.now() - seen.last < QUIET_MS) await page.waitForTimeout(QUIET_MS / 5)
  const lcp = await page.evaluate(() => (globalThis as { largestPaint?: number }).largestPaint ?? 0)
  const { requests, scripts, bytes } = seen
  return { page, opened: { lcp, requests, scripts, bytes } }
}

/** Counts what a page asks for, from now on. */
async function count(devtools: CDPSession) {
  const seen = { requests: 0, scripts: 0, bytes: 0, last: performance.now() }
  devtools.on('Network.requestWillBeSent', ({ request, type }) => {
    if (!request.url.startsWith('http')) return
    seen.requests++
    if (type === 'Script') seen.scripts++
    seen.last = performance.now()
  })
  devtools.on('Network.loadingFinished', ({ encodedDataLength }) => {
    seen.bytes += encodedDataLength
    seen.last = performance.now()
  })
  await devtools.send('Network.enable')
  return seen
}

/** What is on screen as one file without scripts, its styles within. */
export const snapshot = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const styles = [...document.styleSheets].flatMap((sheet) =>
      [...sheet.cssRules].map((rule) => rule.cssText),
    )
    const copy = document.documentElement.cloneNode(true) as HTMLElement
    for (const each of copy.querySelectorAll('script, link, style, noscript, meta[http-equiv]')) each.remove()
    // Fonts load after the first paint, on both sides.
    const style = document.createElement('style')
    style.textContent = styles.join('\n')
    copy.querySelector('head')?.append(style)
    return `<!doctype html>${copy.outerHTML}`
  })
