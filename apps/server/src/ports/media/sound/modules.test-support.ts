// Measures the WebAssembly modules of the codecs in their own thread, because a thread compiles each module
// once.
import { parentPort } from 'node:worker_threads'
import { bytesOf } from '../../../testing/media-files.ts'
import { Reader } from '../reader.ts'
import { decodeRawAmr } from './amr.ts'
import { decodeOpus } from './opus.ts'
import { decodeMp3, listen, type Pcm } from './pcm.ts'

/** Initial and largest pages of 64 KiB of a module's memory. */
interface Memory {
  least: number
  most: number
}

/** The memory section of the module (WebAssembly, section 5). */
function memoryOf(wasm: Uint8Array): Memory | undefined {
  let at = 8
  const number = () => {
    let [value, shift, byte] = [0, 0, 0]
    do {
      byte = wasm[at++]!
      value |= (byte & 0x7f) << shift
      shift += 7
    } while (byte & 0x80)
    return value >>> 0
  }
  while (at < wasm.length) {
    const section = wasm[at++]
    const end = number() + at
    if (section === 5) {
      number()
      const has_most = (wasm[at++]! & 1) === 1
      return { least: number(), most: has_most ? number() : 65_536 }
    }
    at = end
  }
  return undefined
}

/** Runs it and returns the memory of each compiled module. */
async function modulesOf(run: () => Promise<unknown>) {
  const { compile, instantiate, instantiateStreaming } = WebAssembly
  const found: Memory[] = []
  const memories: WebAssembly.Memory[] = []
  const note = (wasm: unknown) => {
    const bytes = wasm instanceof ArrayBuffer ? new Uint8Array(wasm) : wasm
    const memory = bytes instanceof Uint8Array ? memoryOf(bytes) : undefined
    if (memory) found.push(memory)
  }
  WebAssembly.compile = ((wasm: BufferSource) => {
    note(wasm)
    return compile(wasm)
  }) as typeof compile
  const keep = (made: WebAssembly.WebAssemblyInstantiatedSource) => {
    for (const part of Object.values((made.instance ?? made).exports))
      if (part instanceof WebAssembly.Memory) memories.push(part)
    return made
  }
  WebAssembly.instantiate = (async (wasm: BufferSource, imports: WebAssembly.Imports) => {
    note(wasm)
    return keep(await instantiate(wasm, imports))
  }) as typeof instantiate
  WebAssembly.instantiateStreaming = async (source, imports) =>
    keep(await instantiateStreaming(source, imports))
  try {
    await run()
  } finally {
    Object.assign(WebAssembly, { compile, instantiate, instantiateStreaming })
  }
  return { found, grown: memories.map(({ buffer }) => buffer.byteLength / 65_536) }
}

const readerOf = (file: string) => {
  const bytes = bytesOf(file)
  return new Reader(bytes.length, async (start, end) => bytes.subarray(start, end))
}
const drain = async (pieces: AsyncIterable<Pcm>) => {
  for await (const _ of pieces);
}

async function* noise(): AsyncGenerator<Pcm> {
  for (let second = 0; second < 120; second++)
    yield {
      sample_rate: 8000,
      samples: [Float32Array.from({ length: 8000 }, (_, i) => Math.sin(i * i * second))],
    }
}

const amr = await modulesOf(() => drain(decodeRawAmr(readerOf('formats/amr-nb.amr'), 'amr_nb')))
const mp3 = await modulesOf(() => drain(decodeMp3(readerOf('formats/mp3.mp3'))))
const opus = await modulesOf(() => drain(decodeOpus(readerOf('formats/opus.ogg'))))
let bytes = 0
const encoder = await modulesOf(() => listen(noise(), 3600, (chunk) => (bytes += chunk.length)))

/** The measurements of the thread. */
export interface Measured {
  amr: Memory[]
  mp3: Memory[]
  opus: Memory[]
  /** Pages of the encoder's memory after two minutes of sound, and the bytes that it wrote. */
  encoder: { grown: number[]; bytes: number }
}

const measured: Measured = {
  amr: amr.found,
  mp3: mp3.found,
  opus: opus.found,
  encoder: { grown: encoder.grown, bytes },
}
parentPort?.postMessage(measured)
