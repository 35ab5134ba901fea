import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import os from 'node:os'
import { pipeline } from 'node:stream/promises'
import { FILM_PIXELS, getLimits, MEMORY_BYTES, PHOTO_PIXELS } from './limits.ts'
import { inspectMp4 } from './mp4.ts'
import { type Container, MediaError, type MediaOptions, type MediaSource } from './port.ts'
import { type MediaTools, toolEnvironment } from './tools.ts'

/**
 * The only demuxers that ffmpeg may use, by sniffed container; no playlists and scripts (hls, concat, dash,
 * …).
 */
const DEMUXERS: Partial<Record<Container, string>> = {
  amr: 'amr',
  mp4: 'mov',
  heic: 'mov',
  // For thumbnails alone: browsers show the photo itself.
  jpeg: 'jpeg_pipe',
  png: 'png_pipe',
  gif: 'gif',
  webp: 'webp_pipe',
  mp3: 'mp3',
  aac: 'aac',
  wav: 'wav',
  ogg: 'ogg',
  webm: 'matroska',
  matroska: 'matroska',
  flac: 'flac',
}

/** The only decoders: those of device recordings. All other parsers of hostile bytes are off. */
const DECODERS = words(`
  amrnb amrwb libopencore_amrnb libopencore_amrwb evrc qcelp gsm gsm_ms libgsm libgsm_ms
  aac aac_fixed mp3 mp3float opus libopus vorbis libvorbis speex libspeex flac alac
  pcm_s16le pcm_s16be pcm_u8 pcm_s24le pcm_s32le pcm_f32le pcm_alaw pcm_mulaw adpcm_ima_wav adpcm_ms
  h263 h264 hevc mpeg4 vp8 vp9 libvpx libvpx-vp9 av1 libdav1d mjpeg png gif webp
`)

/** Splits the words of a command line. */
export function words(text: string): string[] {
  return text.trim().split(/\s+/)
}

const PICTURES: ReadonlySet<Container> = new Set(['heic', 'jpeg', 'png', 'gif', 'webp'])

/**
 * Input options that restrict ffmpeg to one demuxer and our decoders. Throws `unsupported` for other files.
 */
function demuxing(container: Container): string[] {
  const name = DEMUXERS[container]
  if (name === undefined) throw new MediaError('unsupported', `${container} is not media`)
  // ffmpeg's mov and matroska demuxers have a list of names, and the whitelist compares each.
  const formats = name === 'mov' ? 'mov,mp4,m4a,3gp,3g2,mj2' : name === 'matroska' ? 'matroska,webm' : name
  const pixels = PICTURES.has(container) ? PHOTO_PIXELS : FILM_PIXELS
  return words(
    `-format_whitelist ${formats} -codec_whitelist ${DECODERS.join(',')} -max_pixels ${pixels} -f ${name}`,
  )
}

/** One run of ffmpeg or ffprobe. `args` builds the command line around the given input options. */
export interface Run {
  tools: MediaTools
  program: 'ffmpeg' | 'ffprobe'
  source: MediaSource
  container: Container
  args: (input: string[]) => string[]
  options: MediaOptions | undefined
}

/** Classifies ffmpeg's error without repeating it, because it can quote the payload. */
function getFailure(stderr: string, container: Container): MediaError {
  if (/Unknown encoder|Error while opening encoder|Encoder not found/i.test(stderr))
    return new MediaError('no_tool', 'ffmpeg lacks an encoder')
  if (
    /not on whitelist|Decoder .*not found|Could not find codec|codec .* not currently supported|Format .* not on/i.test(
      stderr,
    )
  )
    return new MediaError('unsupported', 'the codec is not supported')
  if (/exceeds? max_pixels|Picture size .* invalid/i.test(stderr))
    return new MediaError('limit', 'the picture is too large')
  if (/Cannot allocate memory|malloc of size|bad_alloc/i.test(stderr))
    return new MediaError('limit', 'the conversion takes too much memory')
  // ffmpeg before 7.1 reads HEIC as a film without an index.
  if (container === 'heic') return new MediaError('unsupported', 'this ffmpeg cannot read HEIC')
  return new MediaError('corrupt', 'the data cannot be decoded')
}

/** Requests come before processing. A program that has ended needs no priority. */
function yieldToOthers(pid: number): void {
  try {
    os.setPriority(pid, 10)
  } catch {
    // It has ended, or the system does not permit it; the run continues.
  }
}

/** Writes the program's input; resolves to the error of the source. */
async function pipeInput(child: ChildProcessWithoutNullStreams, source: MediaSource): Promise<unknown> {
  let failure: { error: unknown } | undefined
  async function* chunks() {
    try {
      yield* source.read(0, source.size)
    } catch (error) {
      failure = { error }
      throw error
    }
  }
  // ffmpeg closes its input early when it seeks or has enough.
  await pipeline(chunks, child.stdin).catch(() => {})
  if (failure) child.kill('SIGKILL')
  return failure?.error
}

/**
 * Runs a confined program from pipe to pipe and yields its output, after checking the source's counts. It
 * ends with the iteration, the source, the time limit, the output limit or the caller's signal.
 */
export async function* runTool({
  tools,
  program,
  source,
  container,
  args,
  options,
}: Run): AsyncGenerator<Buffer> {
  const limits = getLimits(options)
  // One thread: pictures waiting for others are most of a film's memory.
  const input = [...words('-protocol_whitelist pipe -threads 1'), ...demuxing(container), '-i', 'pipe:0']
  options?.signal?.throwIfAborted()
  const inspected = await inspect(source, container)
  options?.signal?.throwIfAborted()
  const child = spawn(
    ...tools.confinement.command(tools[program], args(input), {
      memory_bytes: MEMORY_BYTES,
      cpu_seconds: limits.cpu_seconds,
    }),
    { stdio: 'pipe', env: toolEnvironment(), cwd: os.tmpdir(), windowsHide: true },
  )
  const ended = once(child, 'close').then(
    ([code, signal]) => ({ code: code as number | null, signal: signal as string | null, missing: false }),
    () => ({ code: null, signal: null, missing: true }),
  )
  let stderr = ''
  child.stderr.on('data', (text: Buffer) => (stderr = (stderr + text.toString('latin1')).slice(-4096)))
  let stopped: unknown
  const stop = (reason: unknown) => {
    stopped ??= reason
    child.kill('SIGKILL')
  }
  const abort = () => stop(options?.signal?.reason)
  options?.signal?.addEventListener('abort', abort, { once: true })
  const clock = setTimeout(
    () => stop(new MediaError('limit', 'the conversion took too long')),
    limits.run_seconds * 1000,
  )

  try {
    if (child.pid !== undefined) yieldToOthers(child.pid)
    const inputDone = pipeInput(child, inspected)
    let printed = 0
    for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
      printed += chunk.length
      if (printed > limits.output_bytes) stop(new MediaError('limit', 'the result is too large'))
      if (stopped !== undefined) break
      yield chunk
    }
    const { code, signal, missing } = await ended
    const failure = await inputDone
    if (failure !== undefined) throw failure
    if (stopped !== undefined) throw stopped
    if (missing) throw new MediaError('no_tool', 'the program cannot be started')
    if (signal === 'SIGXCPU') throw new MediaError('limit', 'the conversion took too long')
    if (code !== 0) throw getFailure(stderr, container)
    if (printed === 0) throw new MediaError('corrupt', 'the data contains nothing decodable')
  } finally {
    clearTimeout(clock)
    options?.signal?.removeEventListener('abort', abort)
    child.kill('SIGKILL')
    await ended
  }
}

/**
 * Validates the container's own metadata before a program reads it; returns the same recording, readable
 * front to back. Throws MediaError: `corrupt` for impossible values, `limit` for too large ones. Containers
 * without an index are only limited by the program.
 */
export async function inspect(source: MediaSource, container: Container): Promise<MediaSource> {
  return container === 'mp4' || container === 'heic' ? inspectMp4(source, container === 'mp4') : source
}
