import type { BrowserContext, CDPSession, Page } from '@playwright/test'
import type { Options } from './options.ts'

/** The reader's line in the design of the portal: 9 Mbit/s, 60 ms. */
const LINE = { offline: false, latency: 60, downloadThroughput: 9e6 / 8, uploadThroughput: 9e6 / 8 }

/** The figures of a first load. */
export interface Opened {
  /** Milliseconds until the largest element was painted. */
  lcp: number
  requests: number
  scripts: number
  /** Compressed. */
  bytes: number
}

/** Opens an address with an empty cache on the reader's machine, and waits until the page sends no requests. */
export async function openPage(
  context: BrowserContext,
  address: string,
  { cpu_slowdown, quiet_milliseconds }: Options,
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
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: cpu_slowdown })
  await page.goto(address)
  while (performance.now() - seen.last < quiet_milliseconds) await page.waitForTimeout(quiet_milliseconds / 5)
  const lcp = await page.evaluate(() => (globalThis as { largestPaint?: number }).largestPaint ?? 0)
  const { requests, scripts, bytes } = seen
  return { page, opened: { lcp, requests, scripts, bytes } }
}

/** Counts the requests of a page from now on. */
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

/** The document on the screen as one file with its styles and without scripts. */
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
