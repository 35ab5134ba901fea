import assert from 'node:assert/strict'
import { test } from 'node:test'
import { circlesOf, relativeImports } from './circles.ts'

const graph = (edges: Readonly<Record<string, string[]>>) =>
  new Map(Object.entries(edges).map(([from, to]) => [from, new Set(to)]))

test('finds an import cycle of any length and ignores other imports', () => {
  assert.deepEqual(circlesOf(graph({ a: ['b'], b: ['c'], c: ['a', 'd'], d: [], e: ['a'] })), [
    ['a', 'b', 'c'],
  ])
  assert.deepEqual(circlesOf(graph({ a: ['b', 'c'], b: ['d'], c: ['d'], d: [] })), [])
})

test('collects static imports, type imports, re-exports and import() calls', () => {
  const text = `
    import type { A } from './types.ts'
    import b, { c } from './values.ts'
    import 'node:fs'
    export { d } from './again.ts'
    export * from './all.ts'
    const e = async () => (await import('./late.tsx')).e
    // import('./comment.ts')
    const f = <A,>() => <p>{String(e)}</p>`
  assert.deepEqual(relativeImports('x.tsx', text), [
    './types.ts',
    './values.ts',
    './again.ts',
    './all.ts',
    './late.tsx',
  ])
})
