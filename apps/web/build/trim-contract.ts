import type { Plugin } from 'vite'
import { CALLS } from '../src/screens/activities/calls.ts'

/** Fields of the endpoint table that only API docs and the server read. */
const NOTES = /\b(?:summary:\s*(?:'(?:[^'\\]|\\.)*'|`[^`]*`)|support: true),\n/g

/** Removes endpoint fields from the portal that it never reads. */
export function withoutNotes(): Plugin {
  return {
    name: 'custodia:without-notes',
    apply: 'build',
    enforce: 'pre',
    transform: {
      filter: { id: /\/packages\/contract\/src\// },
      handler: (code) => ({ code: code.replaceAll(NOTES, ''), map: null }),
    },
  }
}

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
