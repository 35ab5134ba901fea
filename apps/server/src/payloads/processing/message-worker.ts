/** Runs in a thread of its own: takes one message document apart. */
import { parentPort, workerData } from 'node:worker_threads'
import { MalformedMessage, type MessageParts, takeApart } from './message-parts.ts'

/** What the thread says, once. The document comes back with it. */
export type FromMessageThread = { document: Uint8Array<ArrayBuffer> } & (
  | { parts: MessageParts }
  | { malformed: string }
)

const document = workerData as Uint8Array<ArrayBuffer>
const say = (stated: FromMessageThread) => parentPort!.postMessage(stated, [document.buffer])

try {
  say({ document, parts: takeApart(Buffer.from(document.buffer)) })
} catch (error) {
  if (!(error instanceof MalformedMessage)) throw error
  say({ document, malformed: error.message })
}
