import type { Plugin } from 'vite'
import { ACCOUNT_NAMES } from '../src/screens/roles/account-actions.ts'
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

/** Inlines what pages know about all calls at build time, so that they load no schemas of calls. */
export function inlinedCalls(): Plugin {
  return {
    name: 'custodia:inlined-calls',
    apply: 'build',
    load: {
      filter: { id: /\/screens\/(?:activities\/calls|roles\/account-actions)\.ts$/ },
      handler: (id) =>
        id.endsWith('calls.ts')
          ? `export const CALLS = ${JSON.stringify(CALLS)}`
          : `export const ACCOUNT_NAMES = ${JSON.stringify(ACCOUNT_NAMES)}`,
    },
  }
}
