// `npm start`: builds the portal when needed, runs the server and, on the first start, fills the demo through the
// device protocol.
import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'
import type { Config } from '../apps/server/src/config.ts'
import type { DemoCustomer } from './demo-customer.ts'

// Before the first module of ours is loaded: a second start compiles none of a thousand modules again.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/node', import.meta.url)))
const say = (step: string) => console.error(step)
const argv = process.argv.slice(2)
process.env.LOG_LEVEL ??= 'warn'
const { buildPortal } = await import('./build-portal.ts')
// The portal's sources are compared while the modules of the server are loaded.
const [{ runServer }, { startDemoCustomer }, { DEMO_CAST }] = await Promise.all([
  import('../apps/server/src/run-server.ts'),
  import('./demo-customer.ts'),
  import('../apps/server/src/ports/identity/people.ts'),
  buildPortal(say),
])
const customer = await startDemoCustomer(process.env, argv, say)
Object.assign(process.env, customer.settings)
const { ctx, address } = await runServer(argv, say)
const { config } = ctx
if (config.services.includes('api')) {
  console.error(banner(config, customer))
  if (config.demo) {
    const { fillDemoOnce } = await import('./fill-demo.ts')
    const { liveDemo, startLargeDemo } = await import('./live-demo.ts')
    if (config.isDemoLarge) await startLargeDemo(ctx, say)
    const isFilledNow = (await fillDemoOnce(config, address, say)) !== undefined
    // The user may stop the demo, and its database, meanwhile.
    if (isFilledNow) {
      const { seedDemoHistory } = await import('./demo-history.ts')
      await seedDemoHistory(ctx, customer, say).catch((error: unknown) =>
        say(`  The history of the demo is incomplete: ${error}`),
      )
    }
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
