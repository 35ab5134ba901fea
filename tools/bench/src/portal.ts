import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import type { Browser, BrowserContext, CDPSession, Page } from '@playwright/test'
import { type DemoBrowser, signInReviewer, startDemoBrowser } from './demo.ts'
import type { BenchContext, Options } from './options.ts'
import { median } from './report.ts'

/** The reader's line in the design of the portal: 9 Mbit/s, 60 ms. */
const LINE = { offline: false, latency: 60, downloadThroughput: 9e6 / 8, uploadThroughput: 9e6 / 8 }

/** The figures of a first load. */
interface FirstLoad {
  /** Milliseconds until the largest element was painted. */
  lcp: number
  requests: number
  scripts: number
  /** Compressed. */
  bytes: number
}

/** Opens an address with an empty cache on the reader's machine, and waits until the page sends no requests. */
async function openPage(
  context: BrowserContext,
  address: string,
  { cpu_slowdown, quiet_milliseconds }: Options,
): Promise<{ page: Page; opened: FirstLoad }> {
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
  // A slow processor still draws after the last request. A page that draws no frame may never count as idle.
  await page.evaluate(
    () => new Promise<unknown>((resolve) => requestIdleCallback(resolve, { timeout: 5000 })),
  )
  const lcp = await (
    await page.waitForFunction(() => (globalThis as { largestPaint?: number }).largestPaint)
  ).jsonValue()
  if (lcp === undefined) throw new Error('no largest paint')
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
const snapshot = (page: Page): Promise<string> =>
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

/** The pages that the bench opens: the first one without a session. */
const PAGES = [
  { name: 'sign-in', path: () => '/sign-in' },
  { name: 'dashboard', path: () => '/dashboard' },
  { name: 'list of calls', path: () => '/dashboard/services/calls' },
  { name: 'call', path: (call: string) => call },
]

interface PortalLine {
  name: string
  ours: FirstLoad[]
  /** The same content as one file of the same bytes, from a bare server. */
  floor: FirstLoad[]
}

/**
 * First loads of the portal with an empty cache, compared with a static page of the same content and as many bytes, which all arrive before the
 * content. No portal of this size can be faster than that page.
 */
export async function measurePortal(context: BenchContext): Promise<void> {
  const { options, say } = context
  const { items, photos } = options.fills_demo ? { items: 0, photos: 0 } : options
  const demo = await startDemoBrowser(options, { hasConverter: false, items, photos }, say)
  const lines = await measurePages(demo, options, say).finally(() => demo.stop())
  report(lines, context)
}

async function measurePages(
  { browser, url }: DemoBrowser,
  options: Options,
  say: (step: string) => void,
): Promise<PortalLine[]> {
  const bare = await bareServer()
  try {
    const visitor = await signedIn(browser, url, options)
    const lines: PortalLine[] = PAGES.map(({ name }) => ({ name, ours: [], floor: [] }))
    for (let round = 1; round <= options.rounds; round++) {
      say(`Round ${round} of ${options.rounds} …`)
      for (const [i, { path }] of PAGES.entries()) {
        const { page, opened } = await visitor.open(path(visitor.call), i > 0)
        if (round === 1) bare.keep(i, await snapshot(page), opened.bytes)
        await page.context().close()
        const context = await browser.newContext()
        const static_page = await openPage(context, `${bare.url}/${i}`, options)
        await context.close()
        lines[i]?.ours.push(opened)
        lines[i]?.floor.push(static_page.opened)
      }
    }
    return lines
  } finally {
    bare.close()
  }
}

/** Signs the reviewer in. Each page opens in a browser context of its own, which holds only the session. */
async function signedIn(browser: Browser, url: string, options: Options) {
  const first = await browser.newContext()
  const page = await first.newPage()
  await signInReviewer(page, url)
  await page.goto(`${url}/dashboard/services/calls?states=Processed`)
  const opening = page.getByRole('row').getByRole('link').first()
  await opening.waitFor()
  const call = await opening.getAttribute('href')
  let state = await first.storageState()
  await first.close()
  return {
    call: call ?? '',
    async open(path: string, isSignedIn: boolean) {
      const context = await browser.newContext(isSignedIn ? { storageState: state } : {})
      const opened = await openPage(context, url + path, options)
      // Each load of a page renews the cookie.
      if (isSignedIn) state = await context.storageState()
      return opened
    },
  }
}

/** A server of the static pages. */
async function bareServer() {
  const pages = new Map<string, Buffer>()
  const server = createServer(({ url = '' }, response) => {
    const page = pages.get(url)
    response
      .writeHead(page ? 200 : 404, { 'content-type': 'text/html; charset=utf-8', 'content-encoding': 'gzip' })
      .end(page)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Fills the page up to as many bytes as the portal's own took. */
    keep(i: number, content: string, bytes: number) {
      const missing = Math.max(0, bytes - gzipSync(content).length)
      // Random bytes do not compress.
      const filler = `<!--${randomBytes(missing).toString('base64')}-->`
      pages.set(`/${i}`, gzipSync(content.replace(/<head[^>]*>/, (head) => head + filler)))
    },
    close: () => server.close(),
  }
}

/** Prints medians and the median ratio of LCP, and writes all figures. */
function report(lines: readonly PortalLine[], { options, facts, file }: BenchContext): void {
  const of = (opened: readonly FirstLoad[], figure: keyof FirstLoad) =>
    median(opened.map((each) => each[figure]))
  console.log(
    `\nFirst load of the portal at ${options.cpu_slowdown} × CPU, 9 Mbit/s, 60 ms, compared with a static page of the same bytes\n`,
  )
  for (const { name, ours, floor: baseline } of lines) {
    const ratio = median(ours.map(({ lcp }, i) => lcp / (baseline[i]?.lcp ?? Number.NaN)))
    console.log(
      [
        name.padEnd(14),
        `${of(ours, 'scripts')} scripts`.padEnd(12),
        `${of(ours, 'requests')} requests`.padEnd(14),
        `${(of(ours, 'bytes') / 1024).toFixed(0)} KiB`.padEnd(9),
        `LCP ${of(ours, 'lcp').toFixed(0)} ms / ${of(baseline, 'lcp').toFixed(0)} ms static (× ${ratio.toFixed(2)})`,
      ].join('  '),
    )
  }
  writeFileSync(file, `${JSON.stringify({ title: 'Portal', ...facts, lines }, undefined, 2)}\n`)
  console.log(`\nAll figures: ${file}`)
}
