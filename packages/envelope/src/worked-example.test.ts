import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { associatedData } from './associated-data.ts'
import { openUlid } from './authenticate.ts'
import { openMeta } from './meta.ts'
import { openSequential, sealIn } from './segments.ts'
import { streamFormat } from './stream-format.ts'
import { chunked, whole } from './testing.ts'

const page = readFileSync(new URL('../../../docs/envelope-format.md', import.meta.url), 'utf8')

/** The one match of a pattern's group on the page. */
function find(pattern: RegExp): string {
  const found = pattern.exec(page)?.[1]
  assert.ok(found, `docs/envelope-format.md has nothing like ${pattern}`)
  return found
}

describe('docs/envelope-format.md', () => {
  const bytes = (name: string) =>
    Buffer.from(find(new RegExp(`\\| ${name} +\\| \`([0-9a-f]+)\` +\\|`)), 'hex')
  const dek = bytes('DEK')
  const ids = { client: 'acme', payload_reference: 'p-1' }
  const aad = associatedData({ ...ids, kind: 'original' })
  const plaintext = Buffer.from(find(/\| plaintext +\| `([^`]+)`/))
  const sealed = Buffer.from(find(/145 bytes:\n\n((?: {4}[0-9a-f]+\n)+)/).replaceAll(/\s/g, ''), 'hex')

  it('shows the associated data', () => {
    assert.deepEqual(bytes('associated data, in hex'), aad)
  })

  it('shows the sealed recording, whole and by segment', async () => {
    const header = Buffer.concat([Buffer.from([40]), bytes('salt'), bytes('nonce prefix')])
    assert.deepEqual(await whole(sealIn(streamFormat(64), dek, aad, chunked(plaintext), header)), sealed)
    assert.deepEqual(await whole(openSequential(dek, aad, chunked(sealed), 64)), plaintext)
    const segments = [...page.matchAll(/^\| (\d) +\| bytes? .*\| `([0-9a-f]{24})` \| (\d+) to (\d+) +\|$/gm)]
    assert.equal(segments.length, 3)
    for (const [, i, nonce, from, to] of segments) {
      const suffix = Buffer.from([0, 0, 0, Number(i), i === '2' ? 1 : 0])
      assert.deepEqual(Buffer.from(nonce ?? '', 'hex'), Buffer.concat([bytes('nonce prefix'), suffix]))
      assert.deepEqual(
        [Number(from), Number(to)],
        [i === '0' ? 40 : 64 * Number(i), Math.min(64 * Number(i) + 63, sealed.length - 1)],
      )
    }
  })

  it('shows meta and ulid_encrypted', () => {
    const meta = openMeta(dek, ids, find(/`iv`\sis\s`(.+?)`/), find(/`meta`\sis\s`(.+?)`/))
    assert.deepEqual(meta, { duration: 3 })
    assert.equal(openUlid(dek, 'account-1', find(/`([A-Za-z0-9+/]{72})`/)), find(/ULID\s`(\w{26})`/))
  })
})
