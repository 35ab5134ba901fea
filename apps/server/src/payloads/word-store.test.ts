import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { CiphertextRefused } from '../ports/keys/port.ts'
import { periodOf, startOfPeriod, wordKeys } from './word-store.ts'

const sealed = new Map<string, { key: Buffer; client: string }>()
/** A key provider that opens keys with the owner's name. */
const keys = {
  unwrap: async (blob: Buffer, { client }: { client: string }) => {
    const found = sealed.get(blob.toString())
    if (found?.client !== client) throw new CiphertextRefused('not of this client')
    return Buffer.from(found.key)
  },
}
const ctx = { keys } as unknown as Parameters<typeof wordKeys>[0]
function keysOf(client: string) {
  const blob = Buffer.from(`${client} ${sealed.size}`)
  sealed.set(blob.toString(), { key: randomBytes(32), client })
  return wordKeys(ctx, client, blob)
}

test('a word has a different token for each client, field and month, unrelated to its bucket', async () => {
  const [acme, globex] = [await keysOf('acme'), await keysOf('globex')]
  const tokens = [acme, globex].flatMap((each) => [
    each.token('text', 1, 'word'),
    each.token('note', 1, 'word'),
    each.token('comment', 1, 'word'),
    each.token('file', 1, 'word'),
    each.token('text', 2, 'word'),
    each.token('text', 1, 'words'),
    each.bucketOf('word'),
    each.tagOf('word'),
  ])
  assert.equal(new Set(tokens).size, tokens.length)
  assert.equal(acme.token('text', 1, 'word'), acme.token('text', 1, 'word'))
  assert.equal(acme.bucketOf('word'), acme.bucketOf('worst'))
  assert.equal(acme.openWord(acme.sealWord('word')), 'word')
  assert.throws(() => globex.openWord(acme.sealWord('word')))
})

test('each period begins with the first second of a month in UTC', () => {
  assert.equal(startOfPeriod(0), Date.UTC(2000, 0) / 1000)
  assert.deepEqual([periodOf(startOfPeriod(322)), periodOf(startOfPeriod(322) - 1)], [322, 321])
})
