import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { MediaSource } from '../../ports/media/index.ts'
import { ProcessingFailure } from './attempts-store.ts'
import { MalformedMessage, type MessageParts, takeApart } from './message-parts.ts'
import type { FromMessageThread } from './message-worker.ts'

/** Largest message with its attachments, in bytes. */
const MESSAGE_LIMIT = 32 * 1024 ** 2
/**
 * Documents up to this size (bytes) are parsed in place, like metadata and request bodies, because a thread
 * would cost more.
 */
const SMALL = 1024 ** 2
/** Milliseconds after which a thread is ended. */
const PATIENCE = 60_000

/** For the thread's own values; the document itself lies outside these limits. */
const MEMORY = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 16, stackSizeMb: 2 }

export interface Message extends MessageParts {
  document: Buffer
}

export interface ReadOptions {
  signal?: AbortSignal
  /** Called before a thread parses the document. Its effects outlive the process. */
  beforeThread?: () => Promise<void>
}

/**
 * Reads a message document for `use`. Large ones are parsed in a thread, one at a time, so that a crash can
 * be attributed. Throws ProcessingFailure `malformed_message`, and the errors of `use`.
 */
export async function readMessage<T>(
  source: MediaSource,
  options: ReadOptions,
  use: (message: Message) => Promise<T>,
): Promise<T> {
  if (source.size > MESSAGE_LIMIT)
    throw new ProcessingFailure('malformed_message', 'larger than a message may be')
  if (source.size <= SMALL) return use(takeApartHere(await readInto(source)))
  return exclusively(async () => {
    options.signal?.throwIfAborted()
    await options.beforeThread?.()
    return use(await inThread(await readInto(source), options.signal))
  })
}

let last: Promise<unknown> = Promise.resolve()

/** Serializes pieces of work. */
function exclusively<T>(work: () => Promise<T>): Promise<T> {
  const mine = last.then(work)
  last = mine.catch(() => {})
  return mine
}

function takeApartHere(bytes: Uint8Array<ArrayBuffer>): Message {
  const document = Buffer.from(bytes.buffer)
  try {
    return { document, ...takeApart(document) }
  } catch (error) {
    if (error instanceof MalformedMessage) throw new ProcessingFailure('malformed_message', error.message)
    throw error
  }
}

/** One buffer of its own, so that threads can transfer it without a copy. */
async function readInto(source: MediaSource): Promise<Uint8Array<ArrayBuffer>> {
  const document = new Uint8Array(new ArrayBuffer(source.size))
  let at = 0
  for await (const chunk of source.read(0, source.size)) {
    document.set(chunk, at)
    at += chunk.length
  }
  return document
}

async function inThread(
  document: Uint8Array<ArrayBuffer>,
  signal: AbortSignal | undefined,
): Promise<Message> {
  signal?.throwIfAborted()
  const thread = new Worker(new URL('./message-worker.ts', import.meta.url), {
    workerData: document,
    transferList: [document.buffer],
    env: {},
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: MEMORY,
  })
  thread.stdout.resume()
  thread.stderr.resume()
  const patience = AbortSignal.timeout(PATIENCE)
  const given_up = signal ? AbortSignal.any([signal, patience]) : patience
  try {
    const [stated] = (await Promise.race([
      once(thread, 'message', { signal: given_up }),
      once(thread, 'exit', { signal: given_up }).then(() => [undefined]),
    ])) as [FromMessageThread | undefined]
    if (!stated) throw new ProcessingFailure('malformed_message', 'its thread ended')
    if ('malformed' in stated) throw new ProcessingFailure('malformed_message', stated.malformed)
    return { document: Buffer.from(stated.document.buffer), ...stated.parts }
  } catch (error) {
    signal?.throwIfAborted()
    // The document caused the thread's end, whatever the reason.
    if (error instanceof ProcessingFailure) throw error
    throw new ProcessingFailure('malformed_message', 'reading it takes more than a message may')
  } finally {
    await thread.terminate()
  }
}
