import { Worker } from 'node:worker_threads'
import type { WaveformData } from '@custodia/waveform'
import { getLimits } from '../limits.ts'
import {
  MediaError,
  type MediaErrorCode,
  type MediaLimits,
  type MediaOptions,
  type MediaSource,
  type Probe,
  type SniffedType,
} from '../port.ts'
import { readRange } from '../reader.ts'

export interface Task {
  size: number
  sniffed: SniffedType
  /** Longest recording, in seconds. */
  media_seconds: number
}

/** Messages of the thread. After `identified` it waits for `listen`; after `drawn` or `failed` it ends. */
export type FromThread =
  | { kind: 'read'; start: number; end: number }
  | { kind: 'identified'; probe: Probe; is_heard: boolean }
  | { kind: 'mp3'; bytes: Uint8Array }
  | { kind: 'drawn'; drawn: WaveformData }
  | { kind: 'failed'; code: MediaErrorCode; message: string }

export type ToThread = { kind: 'bytes'; bytes: Uint8Array } | { kind: 'listen'; renders: boolean }

/** Whether a format can be read without ffmpeg: the tracks of an MP4 or 3GP file, or the sound itself. */
export const hasBuiltInReader = ({ container, codec }: Pick<SniffedType, 'container' | 'codec'>): boolean =>
  container === 'amr' || container === 'mp4' || container === 'wav' || container === 'mp3' || codec === 'opus'

/** A recording opened without ffmpeg, in a thread that ends with it. */
interface OpenSound extends AsyncDisposable {
  /** Its facts, from index and heads. */
  readonly probe: Probe
  /** Whether a built-in decoder exists, so that `listen` works. */
  readonly is_heard: boolean
  /** Decodes it once. */
  listen(renders: boolean): SoundReader
}

/** The sound in one pass. Both throw MediaError; errors of the source are thrown unchanged. */
interface SoundReader {
  /** MP3 chunks as they are encoded, when requested. */
  chunks(): AsyncGenerator<Buffer>
  /** The waveform. Reads to the end when `chunks` did not. */
  drawn(): Promise<WaveformData>
}

/**
 * JavaScript memory; the WebAssembly modules limit themselves to 16, 16 and 28 MiB, which this limit does not
 * count.
 */
const MEMORY = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 8, stackSizeMb: 4 }

const ENDED = new MediaError('corrupt', 'the data makes its decoder end')

/**
 * Opens a recording in its own thread, which requests the bytes that it needs; WebAssembly decodes them in
 * its own memory. Each request waits until all output was consumed. Undefined for unknown formats. Throws
 * MediaError when the recording is damaged, or the caller's reason.
 */
export async function openSound(
  source: MediaSource,
  sniffed: SniffedType,
  options?: MediaOptions,
): Promise<OpenSound | undefined> {
  if (!hasBuiltInReader(sniffed)) return undefined
  options?.signal?.throwIfAborted()
  const thread = new SoundThread(source, sniffed, options)
  try {
    const stated = await thread.next()
    if (stated.kind !== 'identified') throw ENDED
    return {
      probe: stated.probe,
      is_heard: stated.is_heard,
      listen: (renders) => thread.listen(renders),
      [Symbol.asyncDispose]: () => thread.close(),
    }
  } catch (error) {
    await thread.close()
    throw error
  }
}

/** The thread of one recording, and the limits of its time and output. */
class SoundThread {
  readonly #source: MediaSource
  readonly #limits: MediaLimits
  readonly #worker: Worker
  readonly #signal: AbortSignal | undefined
  readonly #clock: NodeJS.Timeout
  readonly #inbox: FromThread[] = []
  readonly #halt = Promise.withResolvers<never>()
  #stopped: unknown
  #wake = () => {}

  constructor(source: MediaSource, sniffed: SniffedType, options: MediaOptions | undefined) {
    this.#source = source
    this.#limits = getLimits(options)
    const task: Task = { size: source.size, sniffed, media_seconds: this.#limits.media_seconds }
    this.#worker = new Worker(new URL('./thread.ts', import.meta.url), {
      workerData: task,
      env: {},
      execArgv: [],
      stdout: true,
      stderr: true,
      resourceLimits: MEMORY,
    })
    this.#worker.stdout.resume()
    this.#worker.stderr.resume()
    this.#worker.on('message', (message: FromThread) => {
      this.#inbox.push(message)
      this.#wake()
    })
    this.#worker.on('error', () => this.#stop(ENDED))
    this.#worker.on('exit', () => this.#stop(ENDED))
    this.#halt.promise.catch(() => {})
    this.#signal = options?.signal
    this.#signal?.addEventListener('abort', this.#abort, { once: true })
    const late = () => this.#stop(new MediaError('limit', 'the conversion took too long'))
    this.#clock = setTimeout(late, this.#limits.run_seconds * 1000)
  }

  readonly #abort = () => this.#stop(this.#signal?.reason)

  #stop(reason: unknown): void {
    this.#stopped ??= reason
    this.#halt.reject(this.#stopped)
    this.#wake()
  }

  /** The next message of the thread; answers its read requests. */
  async next(): Promise<FromThread> {
    for (;;) {
      const message = this.#inbox.shift()
      if (this.#stopped !== undefined && (message === undefined || this.#stopped !== ENDED))
        throw this.#stopped
      if (message?.kind === 'failed') throw new MediaError(message.code, message.message)
      if (message?.kind === 'read') {
        // A source that never responds must not outlive the timeout.
        const read = readRange(this.#source, message.start, message.end)
        this.#notify({ kind: 'bytes', bytes: await Promise.race([read, this.#halt.promise]) })
      } else if (message) return message
      else await new Promise<void>((resolve) => (this.#wake = resolve))
    }
  }

  listen(renders: boolean): SoundReader {
    this.#notify({ kind: 'listen', renders })
    let drawn: WaveformData | undefined
    let made = 0
    const next = () => this.next()
    const { output_bytes } = this.#limits
    async function* chunks(): AsyncGenerator<Buffer> {
      while (drawn === undefined) {
        const message = await next()
        if (message.kind === 'drawn') drawn = message.drawn
        if (message.kind !== 'mp3') continue
        made += message.bytes.length
        if (made > output_bytes) throw new MediaError('limit', 'the result is too large')
        yield Buffer.from(message.bytes.buffer, message.bytes.byteOffset, message.bytes.byteLength)
      }
    }
    return {
      chunks,
      async drawn() {
        for await (const _ of chunks());
        if (drawn === undefined) throw ENDED
        return drawn
      },
    }
  }

  #notify(message: ToThread): void {
    this.#worker.postMessage(message)
  }

  async close(): Promise<void> {
    clearTimeout(this.#clock)
    this.#signal?.removeEventListener('abort', this.#abort)
    // Also ends loops within WebAssembly.
    await this.#worker.terminate()
  }
}
