import { crc32, deflateSync } from 'node:zlib'
import type { Page } from './test.ts'

/** Address of the map with streets in the demo of the journeys: a journey answers for its host. */
export const STREETS = 'https://maps.example/streets.pmtiles'

const HEADER = 127
/** Kinds of the PMTiles specification, version 3. */
const NO_COMPRESSION = 1
const TILE_TYPES = { vectors: 1, picture: 2 } as const

/** A PMTiles file (https://github.com/protomaps/PMTiles) of one tile, the whole world. */
export function getPmtiles(kind: keyof typeof TILE_TYPES, tile: Buffer): Buffer {
  // One entry: its tile number, run length, length and offset plus one, as varints.
  const directory = Buffer.from([1, 0, 1, ...varint(tile.length), 1])
  const metadata = Buffer.from('{}')
  const header = Buffer.alloc(HEADER)
  header.write('PMTiles')
  header[7] = 3
  const [metadataAt, dataAt] = [HEADER + directory.length, HEADER + directory.length + metadata.length]
  const places = [HEADER, directory.length, metadataAt, metadata.length, dataAt, 0, dataAt, tile.length]
  for (const [i, value] of [...places, 1, 1, 1].entries()) header.writeBigUInt64LE(BigInt(value), 8 + i * 8)
  header.set([1, NO_COMPRESSION, NO_COMPRESSION, TILE_TYPES[kind], 0, 0], 96)
  for (const [i, degrees] of [-180, -85, 180, 85].entries()) header.writeInt32LE(degrees * 1e7, 102 + i * 4)
  return Buffer.concat([header, directory, metadata, tile])
}

function varint(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...varint(value >> 7)]
}

/** A vector tile whose layer `earth` is one square, the whole tile (https://github.com/mapbox/vector-tile-spec). */
export function earthTile(): Buffer {
  const field = (number: number, bytes: number[]) => [(number << 3) | 2, ...varint(bytes.length), ...bytes]
  const integer = (number: number, value: number) => [number << 3, ...varint(value)]
  // Move to 0, 0; three lines around the square; close.
  const corners = [9, 0, 0, 26, 8192, 0, 0, 8192, 8191, 0, 15].flatMap(varint)
  const feature = [...integer(3, 3), ...field(4, corners)]
  const name = [...Buffer.from('earth')]
  return Buffer.from(
    field(3, [...field(1, name), ...field(2, feature), ...integer(5, 4096), ...integer(15, 2)]),
  )
}

/** A PNG of one pixel. */
export function onePixel(colour: [red: number, green: number, blue: number]): Buffer {
  const chunk = (name: string, data: Buffer) => {
    const named = Buffer.concat([Buffer.from(name), data])
    const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
    length.writeUInt32BE(data.length)
    check.writeUInt32BE(crc32(named))
    return Buffer.concat([length, named, check])
  }
  const size = Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 2, 0, 0, 0])
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', size),
    chunk('IDAT', deflateSync(Buffer.from([0, ...colour]))),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** Colour of a screenshot in its upper left quarter. */
export const colourInside = (page: Page, picture: Buffer): Promise<number[]> =>
  page.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (each) => each.codePointAt(0) ?? 0)
    const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }))
    const context = new OffscreenCanvas(1, 1).getContext('2d')
    context?.drawImage(bitmap, -Math.floor(bitmap.width / 4), -Math.floor(bitmap.height / 4))
    return [...(context?.getImageData(0, 0, 1, 1).data ?? [])].slice(0, 3)
  }, picture.toString('base64'))
