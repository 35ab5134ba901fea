/** Runs in its own thread: splits one message document into parts. */
import { parentPort, workerData } from 'node:worker_threads'
import { MalformedMessage, type MessageParts, takeApart } from './message-parts.ts'

/** The thread's single response, with the document. */
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
