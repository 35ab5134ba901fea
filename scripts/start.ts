// `npm start`: builds the portal when needed, runs the server and, on the first start, fills the demo through the
// device protocol.
import type { Config } from '../apps/server/src/config.ts'
import { DEMO_CAST } from '../apps/server/src/ports/identity/people.ts'
import { runServer } from '../apps/server/src/run-server.ts'
import { buildPortal } from './build-portal.ts'
import { type DemoCustomer, startDemoCustomer } from './demo-customer.ts'
import { seedDemoHistory } from './demo-history.ts'
import { fillDemoOnce } from './fill-demo.ts'
import { liveDemo, startLargeDemo } from './live-demo.ts'

const say = (step: string) => console.error(step)
const argv = process.argv.slice(2)
process.env.LOG_LEVEL ??= 'warn'
await buildPortal(say)
const customer = await startDemoCustomer(process.env, argv, say)
Object.assign(process.env, customer.settings)
const { ctx, address } = await runServer(argv, say)
const { config } = ctx
if (config.services.includes('api')) {
  console.error(banner(config, customer))
  if (config.demo) {
    if (config.isDemoLarge) await startLargeDemo(ctx, say)
    const isFilledNow = (await fillDemoOnce(config, address, say)) !== undefined
    // The user may stop the demo, and its database, meanwhile.
    if (isFilledNow)
      await seedDemoHistory(ctx, customer, say).catch((error: unknown) =>
        say(`  The history of the demo is incomplete: ${error}`),
      )
    liveDemo(config, address, { isFilledNow, say })
  }
}

/** Start-up message: address, demo users and first steps. */
function banner(config: Config, { mailbox }: DemoCustomer): string {
  const lines = ['', `  Custodia is ready at ${config.publicUrl}`]
  if (config.demo) {
    lines.push('', '  Demo people (password: the name followed by -demo)')
    for (const person of DEMO_CAST) {
      lines.push(
        `    ${person.client.padEnd(8)} ${person.user_reference.padEnd(8)} ${person.description['en-GB']}`,
      )
    }
    lines.push(
      '',
      '  Try this: choose bob on the sign-in page, then press play on the newest call.',
      '  Then sign in as alice and look at the audit of the same call.',
    )
    if (mailbox) lines.push(`  Mails to these people arrive in ${mailbox}`)
  }
  if (!config.clamd)
    lines.push('', '  No malware scanner is set (CLAMD_HOST or CLAMD_SOCKET): uploads are not scanned.')
  lines.push('', `  API: ${config.publicUrl}/api   State: ${config.dataDir}   Stop: Ctrl+C`, '')
  return lines.join('\n')
}
