import { randomUUID } from 'node:crypto'
import { join } from 'node:path/posix'
import { Worker } from 'node:worker_threads'
import type { Egress } from '../egress/port.ts'
import { fileDigest, verifySource, wrapped } from './formats/wrap.ts'
import { PROBE, type SftpTarget, TargetProblem, type TargetSession } from './port.ts'
import {
  dialled,
  type FromThread,
  PATIENCE,
  PIECE,
  received,
  getSlot,
  SLOTS,
  type ThreadSettings,
  type ToThread,
  type WrittenFile,
  YOUNG_MIB,
} from './sftp-connect.ts'

/** Pending promises with their handlers. */
interface SftpThreadWaiting<T> {
  resolve(value: T): void
  reject(problem: TargetProblem): void
}

type Settings = Omit<ThreadSettings, 'memory' | 'moved'>

/** The delivery's interface to the thread that owns the connection to an SFTP server. */
class SftpThread {
  private readonly memory = new SharedArrayBuffer(SLOTS * PIECE)
  private readonly movedBytes = new BigInt64Array(new SharedArrayBuffer(8))
  private readonly worker: Worker
  private readonly free = Array.from({ length: SLOTS }, (_, slot) => slot)
  private readonly slots: SftpThreadWaiting<number>[] = []
  private readonly answers = new Map<number, SftpThreadWaiting<WrittenFile>>()
  private readonly up: PromiseWithResolvers<void> = Promise.withResolvers()
  private ended: TargetProblem | undefined
  private last = 0

  private constructor(settings: Settings) {
    const moved = this.movedBytes.buffer
    const workerData: ThreadSettings = { ...settings, memory: this.memory, moved }
    this.worker = new Worker(new URL('./sftp-worker.ts', import.meta.url), {
      workerData,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MIB },
    })
    const lost = (cause?: unknown) => this.end(new TargetProblem('connection_lost', '', { cause }))
    this.worker.on('message', (message: FromThread) => this.result(message))
    this.worker.on('error', lost)
    this.worker.on('exit', () => lost())
  }

  /** Signs in; `signal` aborts it. Throws TargetProblem. */
  static async start(settings: Settings, signal: AbortSignal): Promise<SftpThread> {
    const thread = new SftpThread(settings)
    const cut = () => void thread.close()
    signal.addEventListener('abort', cut)
    try {
      if (signal.aborted) cut()
      await thread.up.promise
      return thread
    } catch (error) {
      await thread.close()
      throw error
    } finally {
      signal.removeEventListener('abort', cut)
    }
  }

  /** Bytes sent to and received from the server so far. */
  moved(): number {
    return Number(Atomics.load(this.movedBytes, 0))
  }

  private result(message: FromThread): void {
    const { kind } = message
    if (kind === 'ready') this.up.resolve()
    else if (kind === 'free') {
      const next = this.slots.shift()
      if (next) next.resolve(message.slot)
      else this.free.push(message.slot)
    } else if (kind === 'ended') this.end(received(message.problem))
    else {
      const answer = this.answers.get(message.id)
      this.answers.delete(message.id)
      if (kind === 'done') answer?.resolve(message.written)
      else answer?.reject(received(message.problem))
    }
  }

  private end(problem: TargetProblem): void {
    this.ended ??= problem
    this.up.reject(this.ended)
    for (const waiting of [...this.slots, ...this.answers.values()]) waiting.reject(this.ended)
    this.slots.length = 0
    this.answers.clear()
  }

  private notify(message: ToThread): void {
    this.worker.postMessage(message)
  }

  private answerTo(id: number): Promise<WrittenFile> {
    return new Promise((resolve, reject) => {
      if (this.ended) reject(this.ended)
      else this.answers.set(id, { resolve, reject })
    })
  }

  private slot(): Promise<number> {
    return new Promise((resolve, reject) => {
      const slot = this.free.pop()
      if (this.ended) reject(this.ended)
      else if (slot === undefined) this.slots.push({ resolve, reject })
      else resolve(slot)
    })
  }

  /**
   * Writes, reads back, and renames the file. `sha256`: of the content, where known beforehand. Throws
   * TargetProblem.
   */
  async put(path: string, content: AsyncIterable<Uint8Array>, sha256?: string): Promise<WrittenFile> {
    const id = ++this.last
    const answer = this.answerTo(id)
    answer.catch(() => undefined)
    this.notify({ kind: 'put', id, path, isDigested: sha256 === undefined })
    try {
      for await (const { slot, length } of this.filled(content)) {
        this.notify({ kind: 'piece', id, slot, length })
        // A failed item is not read to its end.
        if (!this.answers.has(id)) return await answer
      }
    } catch (error) {
      this.notify({ kind: 'abandon', id })
      // Until the thread answers, no other writer may write there.
      await answer.catch(() => undefined)
      throw error
    }
    this.notify({ kind: 'end', id, sha256 })
    return answer
  }

  /** Content in slots, all full except the last. */
  private async *filled(
    content: AsyncIterable<Uint8Array>,
  ): AsyncGenerator<{ slot: number; length: number }> {
    let slot: number | undefined
    let length = 0
    try {
      for await (const piece of content)
        for (let at = 0; at < piece.length;) {
          slot ??= await this.slot()
          const part = piece.subarray(at, at + PIECE - length)
          getSlot(this.memory, slot).set(part, length)
          at += part.length
          length += part.length
          if (length < PIECE) continue
          const full = slot
          slot = undefined
          length = 0
          yield { slot: full, length: PIECE }
        }
      if (slot !== undefined) {
        const rest = slot
        slot = undefined
        yield { slot: rest, length }
      }
    } finally {
      if (slot !== undefined) this.result({ kind: 'free', slot })
    }
  }

  /** Removes a file. Throws TargetProblem. */
  remove(path: string): Promise<WrittenFile> {
    const id = ++this.last
    const answer = this.answerTo(id)
    this.notify({ kind: 'remove', id, path })
    return answer
  }

  /** Closes at once, also during work. */
  async close(): Promise<void> {
    this.end(new TargetProblem('connection_lost', 'it was ended'))
    await this.worker.terminate()
  }
}

/** Concurrent deliveries, so that one does not wait for another's disk or network; all share the buffers. */
const SIDE_BY_SIDE = 8

interface ConnectLimits {
  patience: { connect: number; silence: number }
  signal: AbortSignal
}
const NEVER = new AbortController().signal

/** Signs in and keeps the connection for any number of items; `signal` ends it. Throws TargetProblem. */
export async function sftpSession(
  target: SftpTarget,
  egress: Egress,
  { patience = PATIENCE, signal = NEVER }: Partial<ConnectLimits> = {},
): Promise<TargetSession> {
  const addresses = await egress
    .addressesFor(target.host, target.port, { timeoutMs: patience.connect })
    .catch((cause: unknown) => {
      throw dialled(cause, target)
    })
  const thread = await SftpThread.start({ target, addresses, patience }, signal)

  return {
    side_by_side: SIDE_BY_SIDE,

    async deliver(item) {
      const expected = fileDigest(item)
      const written = thread.put(item.path, wrapped(item), expected).catch(async (error: unknown) => {
        const isOther = error instanceof TargetProblem && error.reason === 'target_differs'
        // Only the file was digested: the source may be what differs.
        if (isOther && expected !== undefined) await verifySource(item)
        throw error
      })
      const { bytes, sha256 } = await written
      return { dest_path: item.path, bytes, checksums: { decrypted: item.sha256, encrypted: sha256 } }
    },

    async prove(folder) {
      const probe = join(folder, `custodia-test-${randomUUID()}.txt`)
      await thread.put(
        probe,
        (async function* () {
          yield PROBE
        })(),
      )
      await thread.remove(probe)
      return { is_verified: true, is_removed: true }
    },

    close: () => thread.close(),
    moved: () => thread.moved(),
  }
}
