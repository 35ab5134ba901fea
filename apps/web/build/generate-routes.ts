import { Generator, getConfig } from '@tanstack/router-generator'
import { routesConfig } from './routes.ts'

// Git ignores the route tree, so the type check generates it first.
const root = new URL('..', import.meta.url).pathname
await new Generator({ config: getConfig(routesConfig, root), root }).run()
