import type { Plugin } from 'vite'

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
