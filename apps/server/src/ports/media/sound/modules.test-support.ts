// Measures the WebAssembly modules of the codecs in their own thread, because a thread compiles each module
// once.
import { parentPort } from 'node:worker_threads'
import { getBytes } from '../../../testing/media-files.ts'
import { Reader } from '../reader.ts'
import { decodeRawAmr } from './amr.ts'
import { decodeOpus } from './opus.ts'
import { decodeMp3, listen, type Pcm } from './pcm.ts'

/** Pages of 64 KiB of a module's memory: after the work, and the most that it can have (at most 64 MiB). */
interface Memory {
  used: number
  most: number
}

/** Runs it and returns the memory of each module. */
async function measureModules(run: () => Promise<unknown>): Promise<Memory[]> {
  const { instantiate, instantiateStreaming } = WebAssembly
  const memories: WebAssembly.Memory[] = []
  const keep = (made: WebAssembly.WebAssemblyInstantiatedSource) => {
    for (const part of Object.values((made.instance ?? made).exports))
      if (part instanceof WebAssembly.Memory) memories.push(part)
    return made
  }
  WebAssembly.instantiate = (async (wasm: BufferSource, imports: WebAssembly.Imports) =>
    keep(await instantiate(wasm, imports))) as typeof instantiate
  WebAssembly.instantiateStreaming = async (source, imports) =>
    keep(await instantiateStreaming(source, imports))
  try {
    await run()
  } finally {
    Object.assign(WebAssembly, { instantiate, instantiateStreaming })
  }
  return memories.map((memory) => ({ used: getPages(memory), most: getMaximum(memory) }))
}

const getPages = ({ buffer }: WebAssembly.Memory) => buffer.byteLength / 65_536

function getMaximum(memory: WebAssembly.Memory): number {
  try {
    while (getPages(memory) < 1024) memory.grow(1)
  } catch {
    // It has its declared maximum.
  }
  return getPages(memory)
}

const getReader = (file: string) => {
  const bytes = getBytes(file)
  return new Reader(bytes.length, async (start, end) => bytes.subarray(start, end))
}
const drain = async (pieces: AsyncIterable<Pcm>) => {
  for await (const _ of pieces);
}

async function* noise(): AsyncGenerator<Pcm> {
  for (let second = 0; second < 30; second++)
    yield {
      sample_rate: 8000,
      samples: [Float32Array.from({ length: 8000 }, (_, i) => Math.sin(i * i * second))],
    }
}

/** The measurements of the thread, and the bytes of half a minute of MP3. */
export interface Measurements {
  amr: Memory[]
  mp3: Memory[]
  opus: Memory[]
  encoder: Memory[]
  bytes: number
}

let bytes = 0
const measured = {
  amr: await measureModules(() => drain(decodeRawAmr(getReader('formats/amr-nb.amr'), 'amr_nb'))),
  mp3: await measureModules(() => drain(decodeMp3(getReader('formats/mp3.mp3')))),
  opus: await measureModules(() => drain(decodeOpus(getReader('formats/opus.ogg')))),
  encoder: await measureModules(() => listen(noise(), 3600, (chunk) => (bytes += chunk.length))),
}
parentPort?.postMessage({ ...measured, bytes } satisfies Measurements)
