import type { Plugin } from 'vite'
import { CALLS } from '../src/screens/activities/calls.ts'

/** Inlines the table of logged calls at build time, so that the log page loads no schemas of calls. */
export function loggedCalls(): Plugin {
  return {
    name: 'custodia:logged-calls',
    apply: 'build',
    load: {
      filter: { id: /\/screens\/activities\/calls\.ts$/ },
      handler: () => `export const CALLS = ${JSON.stringify(CALLS)}`,
    },
  }
}
