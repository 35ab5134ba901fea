import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { DemoAccount } from '@custodia/simulator'
import type { PhoneLine, PhoneOrders } from './phone-process.ts'

const PROGRAM = fileURLToPath(new URL('./phone-process.ts', import.meta.url))

/** A payload as its device saw it. */
export interface SentPayload {
  account_reference: string
  /** Input of the recorder. */
  meta: object
  /** SHA-256 of the plaintext. */
  sha256: string
  /** The device has stored it: the recorder may forget it. */
  isKept: boolean
  /** The server answered the upload with 200, or reported that it has the data. */
  isAcknowledged: boolean
  /** Still in the device's queue at the end. */
  isWaiting: boolean
  isRefused: boolean
  /** The server acknowledged it, and later did not know it. */
  isForgotten: boolean
  /** Number of rejections as unusable. */
  failures: number
}

export interface PhoneFleet {
  sent: Map<string, SentPayload>
  /** Throws when a device process ended by itself. */
  assertAlive(): void
  /** Kills a device process and starts it again. */
  killSome(which: number): Promise<void>
  /** Stops recording and sends until the queues are empty or `seconds` have passed. Resolves to the number of pending payloads. */
  drain(seconds: number): Promise<number>
  stop(): void
}

/** Starts `count` devices in two processes. They record and send small payloads continuously, with queues in `folder`. */
export function startFleet(
  server_url: string,
  accounts: DemoAccount[],
  count: number,
  folder: string,
): PhoneFleet {
  const sent = new Map<string, SentPayload>()
  const shares = [0, 1].map((share) =>
    Array.from({ length: count }, (_, i) => i).filter((i) => i % 2 === share),
  )
  let waiting = 0
  let failed: Error | undefined
  const begin = (phones: number[]) => {
    const orders: PhoneOrders = { server_url, accounts, phones, folder }
    const child = spawn(process.execPath, [PROGRAM, JSON.stringify(orders)], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    child.stdin.on('error', () => undefined)
    child.once('exit', (code) => {
      if (code) failed = new Error(`the phones ended with ${code}`)
    })
    const lines = createInterface({ input: child.stdout })
    lines.on('line', (line) => {
      const stated = parse(line)
      if (stated?.line === 'drained') waiting += stated.waiting.length
      if (stated) note(sent, stated)
    })
    return { child, read: once(lines, 'close') }
  }
  const running = shares.map((phones) => ({ phones, ...begin(phones) }))

  return {
    sent,
    assertAlive() {
      if (failed) throw failed
    },
    async killSome(which) {
      const one = running[which % running.length]
      if (!one) return
      await end(one.child, 'SIGKILL')
      await one.read
      Object.assign(one, begin(one.phones))
    },
    async drain(seconds) {
      for (const { child } of running) child.stdin?.write(`drain ${seconds}\n`)
      await Promise.all(running.map(({ read }) => read))
      return waiting
    },
    stop: () => running.forEach(({ child }) => child.kill('SIGKILL')),
  }
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill(signal)
  await ended
}

/** The last line of a killed process may be incomplete. */
function parse(line: string): PhoneLine | undefined {
  try {
    return JSON.parse(line) as PhoneLine
  } catch {
    return undefined
  }
}

function note(sent: Map<string, SentPayload>, line: PhoneLine): void {
  if (line.line === 'drained') {
    for (const reference of line.waiting) {
      const known = sent.get(reference)
      if (known) known.isWaiting = true
    }
    return
  }
  if (line.line === 'saying') {
    const { account_reference, meta, sha256 } = line
    const flags = {
      isKept: false,
      isAcknowledged: false,
      isWaiting: false,
      isRefused: false,
      isForgotten: false,
    }
    sent.set(line.payload_reference, { account_reference, meta, sha256, ...flags, failures: 0 })
    return
  }
  const known = sent.get(line.payload_reference)
  if (!known) return
  // The device has stored it, even if its process died before reporting that.
  known.isKept = true
  if (line.line === 'said') return
  if (line.type === 'queued') known.isForgotten ||= known.isAcknowledged
  else if (line.type === 'uploaded' || line.type === 'freed') known.isAcknowledged = true
  else if (line.type === 'refused') known.isRefused = true
  else if (line.type === 'failed') known.failures += 1
}
