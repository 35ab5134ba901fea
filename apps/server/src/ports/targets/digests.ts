/**
 * Digests of large content, computed in a thread while others encrypt and send. The same module is the program of
 * this thread.
 */
import { createHash, type Hash } from 'node:crypto'
import { parentPort, Worker, workerData } from 'node:worker_threads'

type Algorithm = 'sha256' | 'sha1' | 'md5'

/** Bytes of content from which a thread saves more time than its messages cost. */
const LARGE = 4 << 20
/** A digest copies its content into so many pieces of shared memory, which are reused. */
const PIECE = 256 << 10
const PIECES = 8
/** Milliseconds without a digest after which the thread ends, because it holds 20 MiB. */
const IDLE_MS = 5000
const PROGRAM = 'digests of transfers'

/** Messages to the thread. */
type Request =
  | { kind: 'begin'; id: number; algorithm: Algorithm; memory: SharedArrayBuffer }
  | { kind: 'piece'; id: number; at: number; length: number }
  | { kind: 'end' | 'drop'; id: number }
/** Responses: without a digest, one piece was digested. */
interface Response {
  id: number
  digest?: Uint8Array
}

/** A digest of content that comes in pieces. */
export interface RunningDigest {
  /** Resolves when the piece may change. */
  update(piece: Uint8Array): Promise<void>
  end(): Promise<Buffer>
  /** Ends it without a result; harmless after `end`. */
  drop(): void
}

/** A digest of content of about `size` bytes: in a thread when that is worth it. */
export function runDigest(algorithm: Algorithm, size: number): RunningDigest {
  if (size >= LARGE) return new ThreadDigest(algorithm)
  const digest = createHash(algorithm)
  return {
    async update(piece) {
      digest.update(piece)
    },
    end: async () => digest.digest(),
    drop: () => undefined,
  }
}

/** The digest of content that stays unchanged meanwhile: in a thread when its memory is shared. */
export async function digestOf(algorithm: Algorithm, content: Buffer): Promise<Buffer> {
  const { buffer, byteOffset, length } = content
  if (!(buffer instanceof SharedArrayBuffer)) return createHash(algorithm).update(content).digest()
  const digest = new ThreadDigest(algorithm, buffer)
  digest.add(byteOffset, length)
  return digest.end()
}

class ThreadDigest implements RunningDigest {
  readonly #thread = (thread ??= new Thread())
  readonly #id = ++last
  readonly #memory: SharedArrayBuffer
  readonly #ended = Promise.withResolvers<Buffer>()
  #underWay = 0
  #next = 0
  #wake: () => void = () => undefined
  #isDone = false

  constructor(algorithm: Algorithm, memory = new SharedArrayBuffer(PIECE * PIECES)) {
    this.#memory = memory
    this.#ended.promise.catch(() => undefined)
    this.#thread.listeners.set(this.#id, {
      answered: ({ digest }) => {
        if (digest) return this.#finish(() => this.#ended.resolve(Buffer.from(digest)))
        this.#underWay--
        this.#wake()
      },
      failed: (error) => this.#finish(() => this.#ended.reject(error)),
    })
    this.#thread.ask({ kind: 'begin', id: this.#id, algorithm, memory })
  }

  async update(piece: Uint8Array): Promise<void> {
    for (let from = 0; from < piece.length; from += PIECE) {
      while (this.#underWay === PIECES && !this.#isDone)
        await new Promise<void>((resolve) => void (this.#wake = resolve))
      // A thread that failed rejects here, not only at the end.
      if (this.#isDone) return void (await this.#ended.promise)
      const part = piece.subarray(from, from + PIECE)
      const at = this.#next * PIECE
      this.#next = (this.#next + 1) % PIECES
      new Uint8Array(this.#memory, at, part.length).set(part)
      this.add(at, part.length)
    }
  }

  /** Adds bytes of the shared memory. */
  add(at: number, length: number): void {
    this.#underWay++
    this.#thread.ask({ kind: 'piece', id: this.#id, at, length })
  }

  end(): Promise<Buffer> {
    if (!this.#isDone) this.#thread.ask({ kind: 'end', id: this.#id })
    return this.#ended.promise
  }

  drop(): void {
    if (this.#isDone) return
    this.#thread.ask({ kind: 'drop', id: this.#id })
    this.#finish(() => this.#ended.reject(new Error('the digest was dropped')))
  }

  #finish(settle: () => void): void {
    this.#isDone = true
    this.#thread.release(this.#id)
    settle()
    this.#wake()
  }
}

interface Listener {
  answered(response: Response): void
  failed(error: Error): void
}

/** The thread with its running digests. It keeps the process alive only while it has some. */
class Thread {
  readonly listeners = new Map<number, Listener>()
  readonly #worker = new Worker(new URL(import.meta.url), {
    workerData: PROGRAM,
    // Options of the command line may not fit a program of its own.
    execArgv: [],
    resourceLimits: { maxYoungGenerationSizeMb: 1 },
  })
  #idle: NodeJS.Timeout | undefined

  constructor() {
    this.#worker.on('message', (response: Response) => this.listeners.get(response.id)?.answered(response))
    this.#worker.on('error', (error: Error) => this.#end(error))
    this.#worker.on('exit', () => this.#end(new Error('the thread of the digests ended')))
  }

  ask(request: Request): void {
    clearTimeout(this.#idle)
    this.#worker.ref()
    this.#worker.postMessage(request)
  }

  release(id: number): void {
    this.listeners.delete(id)
    if (this.listeners.size > 0) return
    this.#worker.unref()
    clearTimeout(this.#idle)
    this.#idle = setTimeout(() => {
      this.#leave()
      void this.#worker.terminate()
    }, IDLE_MS).unref()
  }

  #leave(): void {
    if (thread === this) thread = undefined
  }

  #end(error: Error): void {
    this.#leave()
    for (const { failed } of this.listeners.values()) failed(error)
  }
}

let thread: Thread | undefined
let last = 0

/** The program of the thread. */
function serveDigests(port: NonNullable<typeof parentPort>): void {
  const running = new Map<number, { hash: Hash; memory: SharedArrayBuffer }>()
  port.on('message', (request: Request) => {
    const { kind, id } = request
    if (kind === 'begin') {
      running.set(id, { hash: createHash(request.algorithm), memory: request.memory })
      return
    }
    const digest = running.get(id)
    if (!digest) return
    if (kind === 'piece') {
      digest.hash.update(new Uint8Array(digest.memory, request.at, request.length))
      port.postMessage({ id } satisfies Response)
      return
    }
    running.delete(id)
    if (kind === 'end') port.postMessage({ id, digest: digest.hash.digest() } satisfies Response)
  })
}

if (parentPort && workerData === PROGRAM) serveDigests(parentPort)
