import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { reservePort } from './daemon.ts'

const RANGE = '/proc/sys/net/ipv4/ip_local_port_range'
const COUNT = 20
/** Begins at the same port as every other process that runs it, so that they compete, and holds the ports until it is killed. */
const PROGRAM = `
import { reservePort } from ${JSON.stringify(fileURLToPath(new URL('daemon.ts', import.meta.url)))}
Math.random = () => 0.5
const ports = []
while (ports.length < ${COUNT}) ports.push(await reservePort())
process.stdout.write(JSON.stringify(ports))
setInterval(() => undefined, 1000)
`

async function portsOfAProcess(t: TestContext): Promise<number[]> {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', PROGRAM], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(() => child.kill('SIGKILL'))
  const [text] = (await once(child.stdout, 'data')) as [Buffer]
  return JSON.parse(text.toString()) as number[]
}

describe('reservePort', () => {
  it('gives each port to one process at a time, outside the range of the kernel', async (t) => {
    const held = await Promise.all([portsOfAProcess(t), portsOfAProcess(t)])
    const ports = held.flat()
    assert.equal(new Set(ports).size, 2 * COUNT)
    if (!existsSync(RANGE)) return
    const [first = 0, last = 0] = readFileSync(RANGE, 'utf8').trim().split(/\s+/).map(Number)
    assert.deepEqual(
      ports.filter((port) => port >= first && port <= last),
      [],
    )
  })

  it('leaves out a port on which a program listens', async (t) => {
    t.mock.method(Math, 'random', () => 0.25)
    const next = (await reservePort()) + 1
    const other = createServer().listen(next, '127.0.0.1')
    t.after(() => other.close())
    // Where this fails, another program listens there already.
    await once(other, 'listening').catch(() => undefined)
    assert.notEqual(await reservePort(), next)
  })
})
