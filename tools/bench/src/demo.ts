import { memoryStore, openPhone } from '@custodia/device-sdk'
import { carriedPhone, chance, findDemoPerson, MEDIA_FOLDER } from '@custodia/simulator'
import { type Browser, chromium, type Page } from '@playwright/test'
import { ulid } from 'ulid'
import { testBrowser } from '../../../e2e/chromium.ts'
import { startServer } from '../../../e2e/demo-server.ts'
import { callRecording, CONTACTS, pictureRecording } from '../../simulator/src/calls.ts'
import { type Media, openMedia } from '../../simulator/src/media.ts'
import { startDemo } from './ingest.ts'
import type { Options } from './options.ts'
import { shared } from './server.ts'

/** A person of the demo whose phone records, and the person who reviews the recordings. */
const [RECORDED, REVIEWER] = ['harriet.cole@acme.example', 'alice']

export interface DemoBrowser {
  url: string
  dataDir: string
  browser: Browser
  stop(): Promise<void>
}

type Recordings = Pick<Options, 'items' | 'photos'>

/** Starts the demo, filled unless the run is tiny, lets a phone record calls and photos, and starts a browser. */
export async function startDemoBrowser(
  options: Options,
  { hasConverter, ...recordings }: Recordings & { hasConverter: boolean },
  say: (step: string) => void,
): Promise<DemoBrowser> {
  return shared('demo in a browser', async () => {
    say('Starting the demo …')
    const { fills_demo, server } = options
    const demo = await (fills_demo ? startServer({ checkout: server, hasConverter }) : startEmptyDemo())
    const { url, dataDir } = demo
    await record({ url, dataDir }, recordings, say)
    const { browser, stop } = await startBrowser(options)
    return { url, dataDir, browser, stop: () => stop().finally(() => demo.stop()) }
  })
}

async function startEmptyDemo() {
  const { dataDir, running, stop } = await startDemo()
  return { url: `http://127.0.0.1:${running.port}`, dataDir, stop }
}

/** Starts the browser of the tests. */
export const startBrowser = ({
  browser_arguments,
}: Options): Promise<{ browser: Browser; stop(): Promise<void> }> =>
  shared('browser', async () => {
    const { executablePath, args, env } = await testBrowser()
    const browser = await chromium.launch({ executablePath, args: [...args, ...browser_arguments], env })
    return { browser, stop: () => browser.close() }
  })

/** Signs the reviewer in. */
export async function signInReviewer(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/sign-in`)
  await page.getByRole('button', { name: new RegExp(`^${REVIEWER}`) }).click()
  await page.waitForURL(/\/dashboard$/)
}

/** Lets a second phone of a person record calls and photos, one a minute, and upload them; resolves once the server has processed them. */
async function record(
  { url, dataDir }: Pick<DemoBrowser, 'url' | 'dataDir'>,
  { items, photos }: Recordings,
  say: (step: string) => void,
): Promise<void> {
  if (items + photos === 0) return
  say(`Recording ${items} calls and ${photos} photos …`)
  const { account, person } = await findDemoPerson(dataDir, ({ email }) => email === RECORDED)
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
  const call = shortestCall(media)
  for (let i = 0; i < items; i++) {
    const contact = CONTACTS['en-GB'][i % CONTACTS['en-GB'].length]
    await phone.record(callRecording(carried, moment(i), call, contact ? [contact] : []))
  }
  for (let i = 0; i < photos; i++)
    await phone.record(pictureRecording(carried, 'Photo', moment(i), media.pick('photo', 'en-GB', i)))
  await phone.sync({ patience: 3600 })
}

/** The call of the repository with the fewest bytes. */
function shortestCall(media: Media) {
  const calls = Array.from({ length: 8 }, (_, turn) => media.pick('call', 'en-GB', turn))
  return calls.reduce((least, each) => (each.bytes < least.bytes ? each : least))
}
