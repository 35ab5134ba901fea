import type { MediaSource } from './port.ts'
import { windowsOf } from './windows.ts'

/** An Ogg page is smaller than this. */
const LARGEST_PAGE = 65_307
const SNIFFED = 4096

/** Ticks per second of an Ogg stream, and the start of its sound, by the first packet. */
function clockOf(head: Buffer): { rate: number; start: number } | undefined {
  const opus = head.indexOf('OpusHead', 0, 'latin1')
  if (opus >= 0 && opus + 12 <= head.length) return { rate: 48_000, start: head.readUInt16LE(opus + 10) }
  const vorbis = head.indexOf('\x01vorbis', 0, 'latin1')
  if (vorbis >= 0 && vorbis + 16 <= head.length) return { rate: head.readUInt32LE(vorbis + 12), start: 0 }
  const speex = head.indexOf('Speex   ', 0, 'latin1')
  if (speex >= 0 && speex + 40 <= head.length) return { rate: head.readUInt32LE(speex + 36), start: 0 }
  return undefined
}

/** Seconds of an Ogg recording, by the position of its last page; undefined without one. */
export async function oggDuration(source: MediaSource): Promise<number | undefined> {
  const windows = windowsOf(source)
  const clock = clockOf(await windows.bytes(0, SNIFFED))
  if (!clock || clock.rate === 0) return undefined
  const from = Math.max(0, source.size - LARGEST_PAGE)
  const tail = await windows.bytes(from, LARGEST_PAGE)
  for (let at = tail.lastIndexOf('OggS'); at >= 0; at = at > 0 ? tail.lastIndexOf('OggS', at - 1) : -1) {
    if (at + 14 > tail.length) continue
    const position = tail.readBigInt64LE(at + 6)
    // A page without the end of a packet has the position -1.
    if (position >= 0n) return Math.max(0, Number(position) - clock.start) / clock.rate
  }
  return undefined
}
