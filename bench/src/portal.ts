import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { type Browser, chromium } from '@playwright/test'
import { testBrowser } from '../../e2e/chromium.ts'
import { startServer } from '../../e2e/server.ts'
import { type Opened, openPage, snapshot } from './portal-page.ts'
import { median } from './report.ts'

/** The first load of these is measured, for somebody who is signed in except for the first. */
const PAGES = [
  { name: 'sign-in', path: () => '/sign-in' },
  { name: 'dashboard', path: () => '/dashboard' },
  { name: 'list of calls', path: () => '/dashboard/services/calls' },
  { name: 'call', path: (call: string) => call },
]

interface PortalLine {
  name: string
  ours: Opened[]
  /** The same content as one file of the same bytes, from a bare server. */
  floor: Opened[]
}

/**
 * First loads of the portal with an empty cache, each beside a static page of the same content and of as many bytes, all of which come
 * before the content: what no portal of that size can be faster than.
 */
export async function measurePortal(
  { rounds, server }: { rounds: number; server: string | undefined },
  say: (step: string) => void,
): Promise<PortalLine[]> {
  say('Starting the demo …')
  const running = await startServer({ checkout: server })
  const { executablePath, args, env } = await testBrowser()
  const browser = await chromium.launch({ executablePath, args, env })
  const bare = await bareServer()
  try {
    const visitor = await signedIn(browser, running.url)
    const lines: PortalLine[] = PAGES.map(({ name }) => ({ name, ours: [], floor: [] }))
    for (let round = 0; round <= rounds; round++) {
      say(round === 0 ? 'Taking the static pages …' : `Round ${round} of ${rounds} …`)
      for (const [i, { path }] of PAGES.entries()) {
        const { page, opened } = await visitor.open(path(visitor.call), i > 0)
        if (round === 0) bare.keep(i, await snapshot(page), opened.bytes)
        await page.context().close()
        if (round === 0) continue
        const context = await browser.newContext()
        const beside = await openPage(context, `${bare.url}/${i}`)
        await context.close()
        lines[i]?.ours.push(opened)
        lines[i]?.floor.push(beside.opened)
      }
    }
    return lines
  } finally {
    await browser.close()
    bare.close()
    await running.stop()
  }
}

/** Somebody of the demo. Each page is opened in a browser of its own that has nothing but the session, which goes on from page to page. */
async function signedIn(browser: Browser, url: string) {
  const first = await browser.newContext()
  const page = await first.newPage()
  await page.goto(`${url}/sign-in`)
  await page.getByRole('button', { name: /^alice/ }).click()
  await page.waitForURL(/\/dashboard$/)
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
      const opened = await openPage(context, url + path)
      // Each load of a page renews the cookie.
      if (isSignedIn) state = await context.storageState()
      return opened
    },
  }
}

/** A server that knows the static pages and nothing else. */
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
      // Nothing shrinks random bytes: their text comes over the line as they are.
      const filler = `<!--${randomBytes(missing).toString('base64')}-->`
      pages.set(`/${i}`, gzipSync(content.replace(/<head[^>]*>/, (head) => head + filler)))
    },
    close: () => server.close(),
  }
}

/** Prints medians and the median ratio of LCP, and writes all figures. */
export function reportPortal(lines: readonly PortalLine[], facts: object, file: string): void {
  const of = (opened: readonly Opened[], figure: keyof Opened) => median(opened.map((each) => each[figure]))
  console.log(
    '\nFirst load of the portal at 4 × CPU, 9 Mbit/s, 60 ms, beside a static page of the same bytes\n',
  )
  for (const { name, ours, floor } of lines) {
    const ratio = median(ours.map(({ lcp }, i) => lcp / (floor[i]?.lcp ?? Number.NaN)))
    console.log(
      [
        name.padEnd(14),
        `${of(ours, 'scripts')} scripts`.padEnd(12),
        `${of(ours, 'requests')} requests`.padEnd(14),
        `${(of(ours, 'bytes') / 1024).toFixed(0)} KiB`.padEnd(9),
        `LCP ${of(ours, 'lcp').toFixed(0)} ms / ${of(floor, 'lcp').toFixed(0)} ms static (× ${ratio.toFixed(2)})`,
      ].join('  '),
    )
  }
  writeFileSync(file, `${JSON.stringify({ title: 'Portal', ...facts, lines }, undefined, 2)}\n`)
  console.log(`\nAll figures: ${file}`)
}
