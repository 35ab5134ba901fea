// `npm start`: builds the portal when needed, runs the server and, on the first start, fills the demo through the
// phones' own protocol.
import { readConfig } from '../apps/server/src/config.ts'
import { main } from '../apps/server/src/main.ts'
import { fillDemoOnce } from './fill-demo.ts'
import { buildPortal } from './build-portal.ts'
import { banner } from './banner.ts'

const say = (step: string) => console.error(step)
const argv = process.argv.slice(2)
process.env.LOG_LEVEL ??= 'warn'
await buildPortal(say)
const address = await main(argv, say)
const config = readConfig(process.env, argv)
if (config.services.includes('api')) {
  console.error(banner(config, address))
  if (config.demo) await fillDemoOnce(config, address, say)
}
