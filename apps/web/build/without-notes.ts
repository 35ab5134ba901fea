import type { Plugin } from 'vite'

/** What rows of the endpoint table say to readers of the API and to the server alone. */
const NOTES = /\b(?:summary:\s*(?:'(?:[^'\\]|\\.)*'|`[^`]*`)|support: true),\n/g

/** Leaves out of the portal what it never reads of the endpoint table. */
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
