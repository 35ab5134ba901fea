import { mkdir, open, readdir, readFile, rename, writeFile, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { syncFolder, syncFoldersAbove } from '../sync-folder.ts'

/** Bytes of one file of the write-ahead log (initdb's default, which our clusters keep). */
export const SEGMENT = 16n << 20n
const SEGMENTS_PER_ID = (1n << 32n) / SEGMENT
export const PARTIAL = '.partial'

/** `0/16B3740` as a number, and back. */
export function parseLsn(text: string): bigint {
  const [high = '', low = ''] = text.split('/')
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`)
}
export const formatLsn = (lsn: bigint): string =>
  `${(lsn >> 32n).toString(16).toUpperCase()}/${(lsn & 0xffffffffn).toString(16).toUpperCase()}`

/** Name of the file that holds a position: timeline, then two halves of the segment's number, 8 digits each. */
export function segmentName(timeline: number, lsn: bigint): string {
  const number = lsn / SEGMENT
  return [BigInt(timeline), number / SEGMENTS_PER_ID, number % SEGMENTS_PER_ID]
    .map((part) => part.toString(16).toUpperCase().padStart(8, '0'))
    .join('')
}

/** Where a segment begins, and its timeline; undefined for what is no segment's name. */
export function parseSegment(name: string): { timeline: number; start: bigint } | undefined {
  const match = /^([0-9A-F]{8})([0-9A-F]{8})([0-9A-F]{8})$/.exec(name)
  if (!match) return undefined
  const [timeline = 0n, high = 0n, low = 0n] = match.slice(1).map((part) => BigInt(`0x${part}`))
  return { timeline: Number(timeline), start: (high * SEGMENTS_PER_ID + low) * SEGMENT }
}

/** Name of the file that says from which timelines one comes, and where it left them. The first has none. */
export const historyName = (timeline: number): string =>
  `${timeline.toString(16).toUpperCase().padStart(8, '0')}.history`

/** The timeline of which a file is the history; undefined: it is no history. */
export function parseHistoryName(name: string): number | undefined {
  const [, timeline] = /^([0-9A-F]{8})\.history$/.exec(name) ?? []
  return timeline === undefined ? undefined : Number(`0x${timeline}`)
}

/** What a folder has as the history of a timeline; undefined: nothing. */
export const readHistory = (folder: string, timeline: number): Promise<string | undefined> =>
  readFile(join(folder, historyName(timeline)), 'utf8').catch(() => undefined)

/**
 * A folder of segments that grows: whole ones under their own name, the last one as `.partial`. What `append` has resolved for is
 * on disk.
 */
export class WalFolder {
  readonly #folder: string
  #open: { name: string; start: bigint; file: FileHandle } | undefined

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Where to go on for a timeline: behind the last whole segment, at the begin of a partial one; undefined: nothing is here yet. */
  async end(timeline: number): Promise<bigint | undefined> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    let end: bigint | undefined
    for (const name of await readdir(this.#folder)) {
      const isPartial = name.endsWith(PARTIAL)
      const segment = parseSegment(isPartial ? name.slice(0, -PARTIAL.length) : name)
      if (segment?.timeline !== timeline) continue
      const next = isPartial ? segment.start : segment.start + SEGMENT
      if (end === undefined || next > end) end = next
    }
    return end
  }

  /**
   * Keeps the history of a timeline beside its segments. Where another one is there, all log of that timeline and of later ones is of a
   * database that this one replaces, and goes to the folder `aside` first. Resolves to whether that was so.
   */
  async keepHistory(timeline: number, content: string, aside: string): Promise<boolean> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    const known = await readHistory(this.#folder, timeline)
    if (known === content) return false
    if (known !== undefined) await this.#setAside(timeline, aside)
    await writeFile(join(this.#folder, historyName(timeline)), content, { mode: 0o600, flush: true })
    await syncFolder(this.#folder)
    return known !== undefined
  }

  async #setAside(timeline: number, aside: string): Promise<void> {
    await mkdir(aside, { recursive: true, mode: 0o700 })
    await syncFoldersAbove(aside)
    const later = (await readdir(this.#folder)).filter((name) => {
      const of = parseSegment(name.slice(0, 24))?.timeline ?? parseHistoryName(name)
      return of !== undefined && of >= timeline
    })
    // By its history it is known as another one: that goes last, so that what is broken off is begun again.
    for (const name of later.filter((each) => each !== historyName(timeline)))
      await rename(join(this.#folder, name), join(aside, name))
    await syncFolder(aside)
    await rename(join(this.#folder, historyName(timeline)), join(aside, historyName(timeline)))
    await syncFolder(aside)
  }

  /** Writes log from `lsn` on and makes it durable. */
  async append(timeline: number, lsn: bigint, data: Buffer): Promise<void> {
    for (let at = lsn, rest = data; rest.length > 0;) {
      const { file, name, start } = await this.#segment(timeline, at)
      const chunk = rest.subarray(0, Number(start + SEGMENT - at))
      await file.write(chunk, 0, chunk.length, Number(at - start))
      await file.datasync()
      at += BigInt(chunk.length)
      rest = rest.subarray(chunk.length)
      if (at < start + SEGMENT) continue
      await this.close()
      await rename(join(this.#folder, name + PARTIAL), join(this.#folder, name))
      await syncFolder(this.#folder)
    }
  }

  async #segment(timeline: number, lsn: bigint) {
    const start = lsn - (lsn % SEGMENT)
    const name = segmentName(timeline, start)
    if (this.#open?.name === name) return this.#open
    await this.close()
    const path = join(this.#folder, name + PARTIAL)
    // What a partial segment holds already is written over with the same bytes, so a crash in between harms nothing.
    const file = await open(path, 'r+', 0o600).catch(() => open(path, 'wx', 0o600))
    this.#open = { name, start, file }
    await syncFolder(this.#folder)
    return this.#open
  }

  async close(): Promise<void> {
    const { file } = this.#open ?? {}
    this.#open = undefined
    await file?.close()
  }
}
