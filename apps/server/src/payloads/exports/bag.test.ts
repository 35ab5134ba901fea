import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tagFilesOf } from './bag.ts'

test('a client name with line breaks adds no element to a bag', () => {
  const bag = { name: 'export', part: 1, parts: 1 }
  const day = '2026-11-23'
  const infoOf = (client: string) =>
    tagFilesOf(bag, [], { client, day }, []).find(({ name }) => name === 'export/bag-info.txt')?.input ?? ''
  const hostile = infoOf('Acme\r\nPayload-Oxum: 1.1\u2028Bag-Count: 9 of 9')
  assert.equal(hostile.split('\n').length, infoOf('Acme').split('\n').length)
  assert.equal(hostile.match(/^Payload-Oxum: .*$/gm)?.join(), 'Payload-Oxum: 0.0')
  assert.match(hostile, /^Source-Organization: Acme Payload-Oxum: 1\.1 Bag-Count: 9 of 9$/m)
})
