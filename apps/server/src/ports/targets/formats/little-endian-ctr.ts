import { createCipheriv } from 'node:crypto'

const BLOCK = 16

/**
 * AES-256 in WinZip's counter mode (from 1, little-endian), which OpenSSL lacks: encrypts the counters and
 * combines them with the text.
 * @returns a function that encrypts the next piece
 */
export function littleEndianCtr(key: Buffer): (piece: Uint8Array) => Buffer {
  const aes = createCipheriv('aes-256-ecb', key, null).setAutoPadding(false)
  let counters = Buffer.alloc(0)
  let next = 1
  let unused = Buffer.alloc(0)

  function keystream(bytes: number): Buffer {
    const blocks = Math.ceil(bytes / BLOCK)
    if (counters.length < blocks * BLOCK) counters = Buffer.alloc(blocks * BLOCK)
    const words = new DataView(counters.buffer, counters.byteOffset)
    for (let block = 0; block < blocks; block++, next++) {
      words.setUint32(block * BLOCK, next >>> 0, true)
      words.setUint32(block * BLOCK + 4, Math.floor(next / 2 ** 32), true)
    }
    return aes.update(counters.subarray(0, blocks * BLOCK))
  }

  return (piece) => {
    const missing = piece.length - unused.length
    const stream = missing > 0 ? Buffer.concat([unused, keystream(missing)]) : unused
    unused = stream.subarray(piece.length)
    return combine(piece, stream)
  }
}

/** `text` xor the start of `stream`, eight bytes at a time where both are aligned. */
function combine(text: Uint8Array, stream: Buffer): Buffer {
  const out = Buffer.allocUnsafeSlow(text.length)
  let from = 0
  if (text.byteOffset % 8 === 0 && stream.byteOffset % 8 === 0) {
    const count = Math.floor(text.length / 8)
    const [a, b] = [text, stream].map((of) => new BigUint64Array(of.buffer, of.byteOffset, count))
    const c = new BigUint64Array(out.buffer, out.byteOffset, count)
    if (a && b) for (let i = 0; i < count; i++) c[i] = (a[i] ?? 0n) ^ (b[i] ?? 0n)
    from = count * 8
  }
  for (let i = from; i < text.length; i++) out[i] = (text[i] ?? 0) ^ (stream[i] ?? 0)
  return out
}
