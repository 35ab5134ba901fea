/** Runs in its own thread: all parsing and decoding of a recording. */
import os from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { MediaError } from '../port.ts'
import { Blocks } from './blocks.ts'
import { listen } from './listen.ts'
import type { FromThread, Task, ToThread } from './messages.ts'
import { identifySound } from './identify.ts'

/** A damaged recording causes a few decoder warnings; a decoder that never stops is ended. */
const MOST_COMPLAINTS = 1000

const port = parentPort!
const { size, sniffed, media_seconds } = workerData as Task
const say = (message: FromThread) => port.postMessage(message)

/** The next message. There is one request at a time, so it is the response. */
const toResponse = () => new Promise<ToThread>((resolve) => port.once('message', resolve))

async function ask(start: number, end: number): Promise<Buffer> {
  say({ says: 'read', start, end })
  const answer = await toResponse()
  if (answer.says !== 'bytes' || answer.bytes.length !== end - start)
    throw new Error('other bytes than asked for')
  return Buffer.from(answer.bytes.buffer, answer.bytes.byteOffset, answer.bytes.byteLength)
}

async function work(): Promise<void> {
  const { probe, sound } = await identifySound(new Blocks(size, ask), sniffed)
  say({ says: 'recognised', probe, is_heard: sound !== undefined })
  const order = await toResponse()
  if (order.says !== 'listen' || !sound) throw new Error('no sound to decode')
  const onMp3 = (bytes: Uint8Array) => {
    if (bytes.length > 0) say({ says: 'mp3', bytes })
  }
  say({
    says: 'drawn',
    drawn: await listen(await sound(), media_seconds, order.renders ? onMp3 : undefined),
  })
}

// The decoders log damage to the console, which could quote it; also inside their loops, so this can end
// them.
let complaints = 0
const complain = () => {
  if (++complaints > MOST_COMPLAINTS) throw new MediaError('corrupt', 'the data cannot be decoded')
}
Object.assign(console, { log: complain, warn: complain, error: complain })
// On Linux each thread has its own priority: requests come before processing.
if (process.platform === 'linux') os.setPriority(10)

await work().catch((error: unknown) => {
  // Any error of a decoder (a trap of WebAssembly, a refused view) comes from the recording.
  const known = error instanceof MediaError ? error : new MediaError('corrupt', 'the data cannot be decoded')
  say({ says: 'failed', code: known.code, message: known.message })
})
