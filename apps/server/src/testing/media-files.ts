/** The committed media of the simulator as sources. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { Draft, MediaSource } from '../ports/media/port.ts'
import { sniff, SNIFF_SIZE } from '../ports/media/sniff.ts'
import { detectMedia } from '../ports/media/tools.ts'

const folder = path.join(import.meta.dirname, '../../../../tools/simulator/media')

export interface MediaFile {
  file: string
  kind: string
  content_type: string
  duration?: number
  pauses?: [number, number][]
}
export const media_files = (
  JSON.parse(readFileSync(path.join(folder, 'manifest.json'), 'utf8')) as { files: MediaFile[] }
).files

export const getBytes = (file: string): Buffer => readFileSync(path.join(folder, file))

/** A source in chunks of 10,000 bytes, that are odd on purpose. */
export function getSource(bytes: Buffer): MediaSource {
  return {
    size: bytes.length,
    async *read(start, end) {
      for (let at = start; at < end; at += 10_000) yield bytes.subarray(at, Math.min(end, at + 10_000))
    },
  }
}

export const sniffBytes = (bytes: Buffer) => sniff(bytes.subarray(0, SNIFF_SIZE))

export async function collect(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  const held: Buffer[] = []
  for await (const chunk of chunks) held.push(chunk)
  return Buffer.concat(held)
}

/** A draft of a film, for films that are small. */
export const inMemory: Draft = async (chunks) => {
  const bytes = await collect(chunks)
  return async function* () {
    yield bytes
  }
}

export const tools = await detectMedia({ ffmpeg: process.env.FFMPEG_PATH, ffprobe: process.env.FFPROBE_PATH })
/** For `test(name, { skip })`: a machine without ffmpeg skips by name, the build server never. */
export const skip = tools === undefined && process.env.CI !== 'true' ? 'ffmpeg is not installed' : false
