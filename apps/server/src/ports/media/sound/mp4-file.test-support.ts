/** For tests: 3GP files byte by byte, valid and not. */

export function box(type: string, ...parts: (Buffer | number[])[]): Buffer {
  const content = Buffer.concat(parts.map((part) => (Buffer.isBuffer(part) ? part : words(...part))))
  const head = Buffer.alloc(8)
  head.writeUInt32BE(content.length + 8, 0)
  head.write(type, 4, 'latin1')
  return Buffer.concat([head, content])
}

/** Numbers of 32 bits. */
export function words(...values: number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length)
  values.forEach((value, i) => bytes.writeUInt32BE(value >>> 0, 4 * i))
  return bytes
}

export interface Mp4File {
  data: Buffer
  sizes: Buffer
  chunks: Buffer
  runs: Buffer
  /** Units of 1/8000 s. */
  skipped?: number
  entry?: string
  wide?: boolean
}

/** One AMR track behind its data, which begins at byte 16. */
export function mp4File({
  data,
  sizes,
  chunks,
  runs,
  skipped,
  entry = 'samr',
  wide = false,
}: Mp4File): Buffer {
  const description = Buffer.concat([words(36 + 9, 0), Buffer.alloc(28), box('damr', Buffer.alloc(1))])
  description.write(entry, 4, 'latin1')
  const index = box(
    'stbl',
    box('stsd', [0, 1], description),
    box('stsz', sizes),
    box(wide ? 'co64' : 'stco', chunks),
    box('stsc', runs),
  )
  const media = box(
    'mdia',
    box('mdhd', [0, 0, 0, 8000, 160_000, 0]),
    box('hdlr', [0, 0], Buffer.from('soun'), Buffer.alloc(12)),
    box('minf', index),
  )
  const edits = skipped === undefined ? [] : [box('edts', box('elst', [0, 1, 1000, skipped, 0x10000]))]
  return Buffer.concat([box('ftyp'), box('mdat', data), box('moov', box('trak', ...edits, media))])
}
