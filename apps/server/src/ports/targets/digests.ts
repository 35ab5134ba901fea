/**
 * Digests of large content, computed in a thread while others encrypt and send. The same module is the program of
 * this thread.
 */
import { createHash, type Hash } from 'node:crypto'
import { parentPort, Worker, workerData } from 'node:worker_threads'

type Algorithm = 'sha256' | 'sha1' | 'md5'

/** Bytes of content from which a thread saves more time than its messages cost. */
const LARGE = 4 << 20
/** A digest copies unshared content into so many pieces of shared memory, which are reused. */
const PIECE = 256 << 10
const PIECES = 8
/** Milliseconds without a digest after which the thread ends, because it holds 20 MiB. */
const IDLE_MS = 5000
const PROGRAM = 'digests of transfers'

/** Messages to the thread; a piece lies in shared memory. */
interface Request {
  id: number
  algorithm: Algorithm
  what: Uint8Array | 'end' | 'drop'
}
/** Responses, in the order of the requests; without a digest, one piece was digested. */
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
export async function getDigest(algorithm: Algorithm, content: Uint8Array): Promise<Buffer> {
  if (!(content.buffer instanceof SharedArrayBuffer)) return createHash(algorithm).update(content).digest()
  const digest = new ThreadDigest(algorithm)
  // A failure of the piece is one of the digest.
  digest.update(content).catch(() => undefined)
  return digest.end()
}

class ThreadDigest implements RunningDigest {
  readonly #thread = (thread ??= new Thread())
  readonly #id = ++last
  readonly #algorithm: Algorithm
  readonly #answers: PromiseWithResolvers<Response>[] = []
  #copies: Uint8Array | undefined
  /** When each of the copies is digested. */
  readonly #digested: Promise<unknown>[] = []
  #next = 0

  constructor(algorithm: Algorithm) {
    this.#algorithm = algorithm
    this.#thread.running.set(this.#id, this)
  }

  async update(piece: Uint8Array): Promise<void> {
    if (piece.buffer instanceof SharedArrayBuffer) return void (await this.#ask(piece))
    this.#copies ??= new Uint8Array(new SharedArrayBuffer(PIECE * PIECES))
    for (let from = 0; from < piece.length; from += PIECE) {
      const slot = this.#next++ % PIECES
      await this.#digested[slot]
      const part = piece.subarray(from, from + PIECE)
      const copy = this.#copies.subarray(slot * PIECE, slot * PIECE + part.length)
      copy.set(part)
      this.#digested[slot] = this.#ask(copy)
    }
  }

  async end(): Promise<Buffer> {
    const { digest = [] } = await this.#ask('end')
    this.#thread.release(this.#id)
    return Buffer.from(digest)
  }

  drop(): void {
    if (this.#thread.running.get(this.#id) !== this) return
    this.#thread.ask({ id: this.#id, algorithm: this.#algorithm, what: 'drop' })
    this.#thread.release(this.#id)
    this.failed(new Error('the digest was dropped'))
  }

  #ask(what: Uint8Array | 'end'): Promise<Response> {
    const answer = Promise.withResolvers<Response>()
    // Each failure rejects the next call too.
    answer.promise.catch(() => undefined)
    this.#answers.push(answer)
    this.#thread.ask({ id: this.#id, algorithm: this.#algorithm, what })
    return answer.promise
  }

  answered(response: Response): void {
    this.#answers.shift()?.resolve(response)
  }

  failed(error: Error): void {
    for (const { reject } of this.#answers.splice(0)) reject(error)
  }
}

/** The thread with its running digests. It keeps the process alive only while it has some. */
class Thread {
  readonly running = new Map<number, ThreadDigest>()
  readonly #worker = new Worker(new URL(import.meta.url), {
    workerData: PROGRAM,
    // Options of the command line may not fit a program of its own.
    execArgv: [],
    resourceLimits: { maxYoungGenerationSizeMb: 1 },
  })
  #idle: NodeJS.Timeout | undefined

  constructor() {
    this.#worker.on('message', (response: Response) => this.running.get(response.id)?.answered(response))
    this.#worker.on('error', (error: Error) => this.#end(error))
    this.#worker.on('exit', () => this.#end(new Error('the thread of the digests ended')))
  }

  ask(request: Request): void {
    clearTimeout(this.#idle)
    this.#worker.ref()
    this.#worker.postMessage(request)
  }

  release(id: number): void {
    this.running.delete(id)
    if (this.running.size > 0) return
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
    for (const digest of this.running.values()) digest.failed(error)
  }
}

let thread: Thread | undefined
let last = 0

/** The program of the thread. */
function serveDigests(port: NonNullable<typeof parentPort>): void {
  const running = new Map<number, Hash>()
  port.on('message', ({ id, algorithm, what }: Request) => {
    const hash = running.get(id) ?? createHash(algorithm)
    if (typeof what === 'string') {
      running.delete(id)
      if (what === 'end') port.postMessage({ id, digest: hash.digest() } satisfies Response)
      return
    }
    running.set(id, hash)
    hash.update(what)
    port.postMessage({ id } satisfies Response)
  })
}

if (parentPort && workerData === PROGRAM) serveDigests(parentPort)
