import type { FileHandle } from 'node:fs/promises'
import { onDisk } from './disk.ts'
import type { ByteRange } from './port.ts'

const readSize = 1 << 20

/** Bytes [start, end) of an open file, up to its end; into their place in `into` when given. */
export async function* readHandle(
  handle: FileHandle,
  { start, end }: ByteRange,
  into?: Buffer,
): AsyncGenerator<Buffer> {
  // Objects never grow. Allocates by their real size, because most are far smaller than a read.
  const last = end === Infinity ? (await onDisk(() => handle.stat())).size : end
  for (let at = start; at < last;) {
    const wanted = Math.min(readSize, last - at)
    const memory = into?.subarray(at - start) ?? Buffer.allocUnsafe(wanted)
    const { bytesRead } = await onDisk(() => handle.read(memory, 0, wanted, at))
    if (bytesRead === 0) return
    at += bytesRead
    yield memory.subarray(0, bytesRead)
  }
}
