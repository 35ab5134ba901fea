/** Wraps one HEVC key frame as a HEIC photo (ISO/IEC 23008-12); no encoder for it is at hand. */
const box = (type: string, ...parts: Buffer[]) => {
  const body = Buffer.concat(parts)
  const head = Buffer.alloc(8)
  head.writeUInt32BE(body.length + 8)
  head.write(type, 4, 'latin1')
  return Buffer.concat([head, body])
}
const full = (type: string, version: number, ...parts: Buffer[]) =>
  box(type, Buffer.from([version, 0, 0, 0]), ...parts)
const u16 = (value: number) => Buffer.from([value >> 8, value & 255])
const u32 = (value: number) => Buffer.concat([u16(value >>> 16), u16(value & 0xffff)])
const text = (value: string) => Buffer.from(value, 'latin1')

/** Network abstraction layer units of an Annex B stream. */
function units(stream: Buffer): Buffer[] {
  const found: Buffer[] = []
  let from = -1
  for (let i = 0; i + 3 <= stream.length; i++) {
    if (stream[i] !== 0 || stream[i + 1] !== 0 || stream[i + 2] !== 1) continue
    if (from >= 0) found.push(stream.subarray(from, stream[i - 1] === 0 ? i - 1 : i))
    from = i + 3
  }
  if (from >= 0) found.push(stream.subarray(from))
  return found
}

export function heic(hevc: Buffer, width: number, height: number): Buffer {
  const kind = (unit: Buffer) => (unit[0]! >> 1) & 63
  const all = units(hevc)
  const parameters = [32, 33, 34].map((type) => all.filter((unit) => kind(unit) === type))
  const frame = Buffer.concat(
    all.filter((unit) => kind(unit) < 32).flatMap((unit) => [u32(unit.length), unit]),
  )
  const sequence = parameters[1]![0]!
  const arrays = parameters.map((list, i) =>
    Buffer.concat([
      Buffer.from([0x80 | (32 + i)]),
      u16(list.length),
      ...list.flatMap((unit) => [u16(unit.length), unit]),
    ]),
  )
  const profile = sequence.subarray(3, 15)
  const hvcC = Buffer.concat([
    Buffer.from([1]),
    profile,
    u16(0xf000),
    Buffer.from([0xfc, 0xfd, 0xf8, 0xf8]),
    u16(0),
    Buffer.from([0x0f, 3]),
    ...arrays,
  ])
  const meta = (offset: number) =>
    full(
      'meta',
      0,
      full('hdlr', 0, u32(0), text('pict'), Buffer.alloc(13)),
      full('pitm', 0, u16(1)),
      full('iloc', 0, u16(0x4400), u16(1), u16(1), u16(0), u16(1), u32(offset), u32(frame.length)),
      full('iinf', 0, u16(1), full('infe', 2, u16(1), u16(0), text('hvc1\0'))),
      box(
        'iprp',
        box('ipco', box('hvcC', hvcC), full('ispe', 0, u32(width), u32(height))),
        full('ipma', 0, u32(1), u16(1), Buffer.from([2, 0x81, 0x02])),
      ),
    )
  const ftyp = box('ftyp', text('heic'), u32(0), text('mif1heic'))
  const offset = ftyp.length + meta(0).length + 8
  return Buffer.concat([ftyp, meta(offset), box('mdat', frame)])
}
