import { Generator, getConfig } from '@tanstack/router-generator'
import { routesConfig } from './routes.ts'

// The route tree is generated, not committed: the type check needs it even where no build has run.
const root = new URL('..', import.meta.url).pathname
await new Generator({ config: getConfig(routesConfig, root), root }).run()
