import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, test } from 'node:test'
import { processState, takeOwnerLock } from './owner-lock.ts'

const folder = mkdtempSync(join(tmpdir(), 'custodia-lock-'))
after(() => rmSync(folder, { recursive: true, force: true }))

test('keeps the lock until it is released', async () => {
  const path = join(folder, 'simple')
  const release = await takeOwnerLock(path)
  await assert.rejects(takeOwnerLock(path), new RegExp(`in use by process ${process.pid}`))
  release()
  assert.ok(!existsSync(path))
  const again = await takeOwnerLock(path)
  again()
})

test('ignores a lock whose process id now belongs to another process', async () => {
  const path = join(folder, 'reused')
  writeFileSync(path, JSON.stringify({ pid: process.pid, started: 'at another time' }))
  const release = await takeOwnerLock(path)
  release()
})

test('gives a stale lock to exactly one of two competing processes', async () => {
  const paths = Array.from({ length: 12 }, (_, i) => join(folder, `race-${i}`))
  for (const path of paths) writeFileSync(path, JSON.stringify({ pid: 2 ** 22 + 1, started: '1' }))
  const code = `
    import { takeOwnerLock } from ${JSON.stringify(new URL('./owner-lock.ts', import.meta.url).href)}
    let start = ${Date.now() + 800}
    let taken = ''
    for (const path of ${JSON.stringify(paths)}) {
      while (Date.now() < start);
      start += 150
      taken += await takeOwnerLock(path).then(() => 1, () => 0)
    }
    console.log(taken)
    setInterval(() => {}, 1000)`
  const children = [1, 2].map(() =>
    spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['ignore', 'pipe', 'inherit'] }),
  )
  const [a, b] = await Promise.all(
    children.map(async ({ stdout }) => String(await once(createInterface({ input: stdout }), 'line'))),
  )
  for (const child of children) child.kill('SIGKILL')
  const sums = Array.from(a ?? '', (taken, i) => Number(taken) + Number(b?.[i]))
  assert.deepEqual(sums, Array(12).fill(1))
})

test('processState finds this process and returns null for dead processes', () => {
  assert.match(processState(process.pid)?.command ?? '', /node/)
  assert.equal(processState(2 ** 22 + 1), null)
  assert.equal(processState(Number.NaN), null)
})
