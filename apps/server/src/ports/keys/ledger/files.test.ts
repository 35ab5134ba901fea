import assert from 'node:assert/strict'
import { appendFile, mkdtemp, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type DestructionLedger, ledgerFiles, type Mark } from './files.ts'

let top: string
before(async () => {
  top = await mkdtemp(join(tmpdir(), 'custodia-ledger-'))
})
after(() => rm(top, { recursive: true, force: true }))

async function read(ledger: DestructionLedger, from: Mark): Promise<string[]> {
  const lines: string[] = []
  for await (const { json } of ledger.read(from)) lines.push(json)
  return lines
}

test('lets several processes append at once and reads on from a known position', async () => {
  const folder = join(top, 'concurrent')
  const [one, other] = [ledgerFiles(folder), ledgerFiles(folder)]
  assert.equal((await one.sizes()).size, 0)
  const long = JSON.stringify({ long: 'ä'.repeat(100_000) })
  const [first] = await Promise.all([
    one.append(['{"a":1}']),
    one.append(['{"a":2}', long]),
    other.append(['{"b":1}']),
  ])
  const mark = await one.append(['{"a":3}'])
  assert.equal(mark.file, first.file)
  const sizes = await ledgerFiles(folder).sizes()
  assert.equal(sizes.size, 2)
  assert.equal(sizes.get(mark.file), mark.bytes)
  assert.deepEqual(await read(other, one.start(mark.file)), ['{"a":1}', '{"a":2}', long, '{"a":3}'])
  assert.deepEqual(await read(other, first), ['{"a":2}', long, '{"a":3}'])
  assert.deepEqual(await read(other, mark), [])
  assert.equal((await stat(join(folder, `${mark.file}.ledger`))).mode & 0o777, 0o600)
})

test('stops reading at a line that was altered, removed or cut off', async () => {
  const folder = join(top, 'altered')
  const ledger = ledgerFiles(folder)
  const { file } = await ledger.append(['{"n":1}', '{"n":2}', '{"n":3}'])
  const path = join(folder, `${file}.ledger`)
  const whole = await readFile(path, 'utf8')
  const [one = '', two = '', three = ''] = whole.split('\n')
  for (const [content, left] of [
    [whole.replace('{"n":2}', '{"n":9}'), 1],
    [`${one}\n${three}\n`, 1],
    [`${two}\n${three}\n`, 0],
    [whole.slice(0, -4), 2],
    [whole, 3],
  ] as const) {
    await writeFile(path, content)
    assert.equal((await read(ledger, ledger.start(file))).length, left)
  }
  await appendFile(path, 'x')
  assert.equal((await read(ledger, ledger.start(file))).length, 3)
})

test('starts another file after a failed write', async () => {
  const folder = join(top, 'failed')
  const ledger = ledgerFiles(folder)
  const { file } = await ledger.append(['{"n":1}'])
  await rm(join(folder, `${file}.ledger`))
  await assert.rejects(ledger.append(['{"n":2}']), { code: 'ENOENT' })
  const mark = await ledger.append(['{"n":3}'])
  assert.notEqual(mark.file, file)
  assert.deepEqual(await read(ledger, ledger.start(mark.file)), ['{"n":3}'])
  await truncate(join(folder, `${mark.file}.ledger`), 0)
  assert.deepEqual(await read(ledger, ledger.start(mark.file)), [])
})
