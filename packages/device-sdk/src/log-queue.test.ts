import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, beforeEach, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { folderStore, memoryStore, openPhone, type PhoneStore } from './index.ts'
import { accountKey, getLog, pretendServer, WAIT_SECONDS } from './pretend-server.test-support.ts'

const server = await pretendServer()
const folders: string[] = []
after(async () => {
  await server.close()
  for (const folder of folders) await rm(folder, { recursive: true, force: true })
})
beforeEach(() => {
  server.hinder = () => undefined
  server.calls = {}
  server.logs.clear()
})

const enrolment = {
  server_url: server.url,
  account_reference: 'acme',
  account_key: accountKey.toString('base64'),
}
async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'custodia-logs-'))
  folders.push(folder)
  return folder
}
const pauses: number[] = []
const phoneWith = (store: PhoneStore) =>
  openPhone({
    enrolment,
    identity: { model: 'Pixel 9', os_version: '16', app_version: '1.0', phone_numbers: [], imeis: [] },
    store,
    clock: { now: () => 1_790_000_000, sleep: async (ms) => void pauses.push(ms) },
    retry: { tries: 3, firstPauseMs: 1 },
  })
const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i)
const arrived = () => [...server.logs.values()].map(({ log_message }) => Number(log_message.slice(4)))
const KEEPER = fileURLToPath(new URL('log-keeper.test-support.ts', import.meta.url))
const keeper = (folder: string, mode: 'keep' | 'hand-over') =>
  spawn(process.execPath, [KEEPER, folder, mode, JSON.stringify(enrolment)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })

describe('the log queue of a device', () => {
  it('uploads a week of offline logs in order, 100 at a time, at the pace the server asks', async () => {
    const phone = await phoneWith(memoryStore())
    for (const n of numbers(0, 100)) await phone.keepLogs(numbers(n * 100, n * 100 + 100).map(getLog))
    let refusals = 0
    pauses.length = 0
    // Every third call comes too early.
    server.hinder = (row) =>
      row === 'uploadLogs' && (server.calls[row] ?? 0) % 3 === 0 && ++refusals ? 429 : undefined
    assert.deepEqual(await phone.handOverLogs(), { handed: 10_000, refused: 0 })
    assert.deepEqual(arrived(), numbers(0, 10_000))
    assert.ok(refusals > 10)
    assert.equal(pauses.filter((ms) => ms >= WAIT_SECONDS * 1000).length, refusals)
    assert.deepEqual(await phone.handOverLogs(), { handed: 0, refused: 0 })
  })

  it('keeps logs while the network is down and uploads them after a restart', async () => {
    const folder = await newFolder()
    const phone = await phoneWith(await folderStore(folder))
    await phone.keepLogs(numbers(0, 250).map(getLog))
    server.hinder = (row) => (row === 'uploadLogs' ? 0 : undefined)
    await assert.rejects(phone.handOverLogs())
    assert.deepEqual(arrived(), [])
    server.hinder = () => undefined
    // Another start of the app.
    const again = await phoneWith(await folderStore(folder))
    await again.keepLogs([getLog(250)])
    assert.deepEqual(await again.handOverLogs(), { handed: 251, refused: 0 })
    assert.deepEqual(arrived(), numbers(0, 251))
  })

  it('sets aside logs that the server rejects and uploads the others', async () => {
    const folder = await newFolder()
    const phone = await phoneWith(await folderStore(folder))
    for (const n of numbers(0, 5)) await phone.keepLogs([getLog(n)])
    server.hinder = (row, body) => (row === 'uploadLogs' && body.includes('Log 2') ? 400 : undefined)
    assert.deepEqual(await phone.handOverLogs(), { handed: 4, refused: 1 })
    assert.deepEqual(arrived(), [0, 1, 3, 4])
    server.hinder = () => undefined
    const again = await phoneWith(await folderStore(folder))
    await again.keepLogs([getLog(5)])
    assert.deepEqual(await again.handOverLogs(), { handed: 1, refused: 0 })
    await assert.rejects(phone.keepLogs([{ ...getLog(6), log_message: '' }]), 'no such log is kept')
  })

  it('loses no durable log when the process is killed while storing or uploading', async () => {
    const folder = await newFolder()
    const first = keeper(folder, 'keep')
    let durable = -1
    for await (const line of createInterface(first.stdout)) {
      durable = Number(line)
      if (durable >= 150) first.kill('SIGKILL')
    }
    const second = keeper(folder, 'hand-over')
    // The second call is in the server when the phone dies.
    server.hinder = (row) => {
      if (row !== 'uploadLogs' || server.calls[row] !== 2) return undefined
      second.kill('SIGKILL')
      return 0
    }
    await once(second, 'exit')
    assert.equal(server.logs.size, 100)
    server.hinder = () => undefined
    await (await phoneWith(await folderStore(folder))).handOverLogs()
    const all = arrived()
    assert.ok(all.length > durable, `${all.length} of ${durable + 1}`)
    assert.deepEqual(all, numbers(0, all.length))
    assert.deepEqual(await (await folderStore(folder)).logSlips(), [])
  })
})
