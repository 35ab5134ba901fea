import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test as base } from '@playwright/test'
import type { DemoCopy } from '../snapshot.ts'

const HOST = fileURLToPath(new URL('../demo-host.ts', import.meta.url))

/** The process that serves copies of the filled demo to this worker. */
interface DemoHost {
  /** Serves the copy of a file, until another file asks. */
  copyFor(file: string): Promise<DemoCopy>
  stop(): Promise<void>
}

let current: DemoCopy | undefined

/** The demo of the running file. */
export function demo(): DemoCopy {
  if (!current) throw new Error('no journey runs')
  return current
}

function startHost(): DemoHost {
  const child = fork(HOST, { execArgv: [] })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  let served = ''
  let waiting = Promise.withResolvers<DemoCopy>()
  child.on('message', (answer: DemoCopy | { error: string }) => {
    if ('error' in answer) waiting.reject(new Error(`the demo does not start: ${answer.error}`))
    else waiting.resolve(answer)
  })
  void ended.then(() => waiting.reject(new Error('the process with the demo ended')))
  // The rejection counts where a journey waits for the copy.
  waiting.promise.catch(() => undefined)
  return {
    async copyFor(file) {
      if (file === served && current) return current
      waiting = Promise.withResolvers()
      child.send('next')
      current = await waiting.promise
      served = file
      return current
    },
    async stop() {
      if (child.connected) child.disconnect()
      await ended
    },
  }
}

/** Playwright's test on a copy of the filled demo, shared by all journeys of a file. */
export const test = base.extend<{ copy: DemoCopy }, { host: DemoHost }>({
  host: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the names of fixtures here
    async ({}, use) => {
      const host = startHost()
      await use(host)
      await host.stop()
    },
    { scope: 'worker', timeout: 60_000 },
  ],
  copy: [
    async ({ host }, use, { titlePath }) => {
      // The first title is the spec file, also where a shared module declares the test.
      await use(await host.copyFor(titlePath[0] ?? ''))
    },
    { auto: true, timeout: 120_000 },
  ],
  baseURL: async ({ copy }, use) => {
    await use(copy.url)
  },
})

export { expect }
export type { Browser, BrowserContext, Locator, Page } from '@playwright/test'
