/** Exif fields of a photo. */
export interface CameraFacts {
  /** Exif orientation, 1 to 8. */
  orientation?: number
  /** Degrees. */
  location?: { latitude: number; longitude: number }
  /** Local time, `YYYY-MM-DDTHH:MM:SS`. */
  taken_at?: string
}

/** First bytes of a JPEG with this Exif; prepend it to the segments of a JPEG. */
export function exifJpeg(
  facts: CameraFacts,
  order: 'II' | 'MM',
  jpeg: Buffer = Buffer.from([0xff, 0xd8, 0xff, 0xda, 0, 2]),
): Buffer {
  const tiff = getTiff(facts, order)
  const head = Buffer.alloc(10)
  head.writeUInt16BE(0xffe1, 0)
  head.writeUInt16BE(8 + tiff.length, 2)
  head.write('Exif', 4, 'latin1')
  return Buffer.concat([jpeg.subarray(0, 2), head, tiff, jpeg.subarray(2)])
}

function getTiff({ orientation, location, taken_at }: CameraFacts, order: 'II' | 'MM'): Buffer {
  const tiff = Buffer.alloc(300)
  const u16 = (at: number, value: number) =>
    order === 'II' ? tiff.writeUInt16LE(value, at) : tiff.writeUInt16BE(value, at)
  const u32 = (at: number, value: number) =>
    order === 'II' ? tiff.writeUInt32LE(value, at) : tiff.writeUInt32BE(value, at)
  tiff.write(order, 0, 'latin1')
  u16(2, 42)
  u32(4, 8)
  const directory = (
    at: number,
    entries: [tag: number, type: number, count: number, value: () => void][],
  ) => {
    u16(at, entries.length)
    entries.forEach(([tag, type, count], i) => {
      u16(at + 2 + 12 * i, tag)
      u16(at + 4 + 12 * i, type)
      u32(at + 6 + 12 * i, count)
    })
    return (index: number) => at + 10 + 12 * index
  }
  const none = () => {}
  const main = directory(8, [
    [0x0112, 3, 1, none],
    [0x8769, 4, 1, none],
    [0x8825, 4, 1, none],
  ])
  u16(main(0), orientation ?? 0)
  u32(main(1), 60)
  u32(main(2), 90)
  const exif = directory(60, taken_at ? [[0x9003, 2, 20, none]] : [])
  if (taken_at) {
    u32(exif(0), 150)
    tiff.write(taken_at.replace('T', ' ').replace(/^(\d+)-(\d+)-/, '$1:$2:'), 150, 'latin1')
  }
  if (!location) return tiff
  const gps = directory(90, [
    [1, 2, 2, none],
    [2, 5, 3, none],
    [3, 2, 2, none],
    [4, 5, 3, none],
  ])
  tiff.write(location.latitude < 0 ? 'S' : 'N', gps(0), 'latin1')
  tiff.write(location.longitude < 0 ? 'W' : 'E', gps(2), 'latin1')
  const angle = (at: number, degrees: number) => {
    const whole = Math.floor(degrees)
    const parts = [whole, 1, 0, 1, Math.round((degrees - whole) * 3_600_000), 1000]
    parts.forEach((part, i) => u32(at + 4 * i, part))
  }
  u32(gps(1), 180)
  u32(gps(3), 210)
  angle(180, Math.abs(location.latitude))
  angle(210, Math.abs(location.longitude))
  return tiff
}
