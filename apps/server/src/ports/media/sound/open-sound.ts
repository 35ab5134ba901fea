import { Worker } from 'node:worker_threads'
import type { Drawn } from '@custodia/waveform'
import { limitsOf } from '../limits.ts'
import {
  MediaError,
  type MediaErrorCode,
  type MediaOptions,
  type MediaSource,
  type Probe,
  type Sniffed,
} from '../port.ts'
import { readRange } from '../reader.ts'

/** The task of the thread. */
export interface Task {
  size: number
  sniffed: Sniffed
  /** Longest recording, in seconds. */
  media_seconds: number
}

/** Messages of the thread. After `recognised` it waits for `listen`; after `drawn` or `failed` it ends. */
export type FromThread =
  | { says: 'read'; start: number; end: number }
  | { says: 'recognised'; probe: Probe; is_heard: boolean }
  | { says: 'mp3'; bytes: Uint8Array }
  | { says: 'drawn'; drawn: Drawn }
  | { says: 'failed'; code: MediaErrorCode; message: string }

/** Messages to the thread. */
export type ToThread = { says: 'bytes'; bytes: Uint8Array } | { says: 'listen'; renders: boolean }

/** Whether a format can be read without ffmpeg: the tracks of an MP4 or 3GP file, or the sound itself. */
export const hasBuiltInReader = ({ container, codec }: Pick<Sniffed, 'container' | 'codec'>): boolean =>
  container === 'amr' || container === 'mp4' || container === 'wav' || container === 'mp3' || codec === 'opus'

/** A recording opened without ffmpeg, in a thread that ends with it. */
interface OpenSound extends AsyncDisposable {
  /** Its facts, from index and heads. */
  readonly probe: Probe
  /** Whether a built-in decoder exists, so that `listen` works. */
  readonly is_heard: boolean
  /** Decodes it once. */
  listen(renders: boolean): Heard
}

/** The sound in one pass. Both throw MediaError; errors of the source are thrown unchanged. */
interface Heard {
  /** MP3 chunks as they are encoded, when requested. */
  chunks(): AsyncGenerator<Buffer>
  /** The waveform. Reads to the end when `chunks` did not. */
  drawn(): Promise<Drawn>
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
  sniffed: Sniffed,
  options?: MediaOptions,
): Promise<OpenSound | undefined> {
  if (!hasBuiltInReader(sniffed)) return undefined
  options?.signal?.throwIfAborted()
  const limits = limitsOf(options)
  const task: Task = { size: source.size, sniffed, media_seconds: limits.media_seconds }
  const thread = new Worker(new URL('./thread.ts', import.meta.url), {
    workerData: task,
    env: {},
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: MEMORY,
  })
  thread.stdout.resume()
  thread.stderr.resume()
  const inbox: FromThread[] = []
  let stopped: unknown
  let wake = () => {}
  const halt = Promise.withResolvers<never>()
  halt.promise.catch(() => {})
  const stop = (reason: unknown) => {
    stopped ??= reason
    halt.reject(stopped)
    wake()
  }
  thread.on('message', (message: FromThread) => {
    inbox.push(message)
    wake()
  })
  thread.on('error', () => stop(ENDED))
  thread.on('exit', () => stop(ENDED))
  const abort = () => stop(options?.signal?.reason)
  options?.signal?.addEventListener('abort', abort, { once: true })
  const clock = setTimeout(
    () => stop(new MediaError('limit', 'the conversion took too long')),
    limits.run_seconds * 1000,
  )
  const notify = (message: ToThread) => thread.postMessage(message)
  const close = async () => {
    clearTimeout(clock)
    options?.signal?.removeEventListener('abort', abort)
    // Also ends loops within WebAssembly.
    await thread.terminate()
  }

  /** The next message of the thread; answers its read requests. */
  async function next(): Promise<FromThread> {
    for (;;) {
      const message = inbox.shift()
      if (stopped !== undefined && (message === undefined || stopped !== ENDED)) throw stopped
      if (message?.says === 'failed') throw new MediaError(message.code, message.message)
      if (message?.says === 'read') {
        // A source that never responds must not outlive the timeout.
        const bytes = await Promise.race([readRange(source, message.start, message.end), halt.promise])
        notify({ says: 'bytes', bytes })
      } else if (message) return message
      else await new Promise<void>((resolve) => (wake = resolve))
    }
  }

  function listen(renders: boolean): Heard {
    notify({ says: 'listen', renders })
    let drawn: Drawn | undefined
    let made = 0
    async function* chunks(): AsyncGenerator<Buffer> {
      while (drawn === undefined) {
        const message = await next()
        if (message.says === 'drawn') drawn = message.drawn
        if (message.says !== 'mp3') continue
        made += message.bytes.length
        if (made > limits.output_bytes) throw new MediaError('limit', 'the result is too large')
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

  try {
    const stated = await next()
    if (stated.says !== 'recognised') throw ENDED
    return { probe: stated.probe, is_heard: stated.is_heard, listen, [Symbol.asyncDispose]: close }
  } catch (error) {
    await close()
    throw error
  }
}
