import { readFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { systemClock } from '@custodia/device-sdk'
import type { DemoAccount } from './demo-account.ts'
import { fillDemo } from './fill-demo.ts'
import { runLoad } from './load.ts'
import { liveAll } from './people/live-all.ts'

const USAGE = `usage: node apps/simulator/src/main.ts --enrolments <file> [--server http://127.0.0.1:4000]
  --phones 8 --minutes 5 --rate 30   phones that send text messages, each so many a minute
  --fill                             the demo instead: a week of a whole fleet, once
  --days 30 --folder <folder>        people with habits instead, whose phones live for so many days up to now; again: what happened since`

/** Command line of the simulator. */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      server: { type: 'string', default: 'http://127.0.0.1:4000' },
      enrolments: { type: 'string' },
      phones: { type: 'string', default: '8' },
      minutes: { type: 'string', default: '5' },
      rate: { type: 'string', default: '30' },
      fill: { type: 'boolean', default: false },
      days: { type: 'string' },
      folder: { type: 'string' },
    },
  })
  const [phones, minutes, rate] = [values.phones, values.minutes, values.rate].map(Number)
  if (!values.enrolments || !phones || !minutes || !rate) throw new Error(USAGE)
  const enrolments = JSON.parse(await readFile(values.enrolments, 'utf8')) as DemoAccount[]
  const log = (line: string) => console.error(line)
  if (values.days !== undefined) {
    if (!values.folder || !Number(values.days)) throw new Error(USAGE)
    const until = systemClock.now()
    const span = { from: until - Number(values.days) * 86_400, until }
    await liveAll({ serverUrl: values.server, enrolments, phonesFolder: values.folder, ...span })
    return
  }
  const report = values.fill
    ? await fillDemo({ serverUrl: values.server, enrolments, log, now: systemClock.now() })
    : await runLoad({ serverUrl: values.server, enrolments, log, phones, minutes, rate })
  console.log(JSON.stringify(report))
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
})
