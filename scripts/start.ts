// `npm start`: builds the portal when needed, runs the server and, on the first start, fills the demo through the
// device protocol.
import { runServer } from '../apps/server/src/run-server.ts'
import { banner } from './banner.ts'
import { buildPortal } from './build-portal.ts'
import { startDemoCustomer } from './demo-customer.ts'
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
