import type { Plugin } from 'vite'
import { CALLS } from '../src/screens/activities/calls.ts'

/** Puts the table of what is logged into its module in place of what it is made of: the log needs none of the schemas of all calls. */
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
