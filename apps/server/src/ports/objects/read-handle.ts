import type { FileHandle } from 'node:fs/promises'
import { onDisk } from './disk.ts'
import type { ByteRange } from './port.ts'

const readSize = 1 << 20

/** Bytes [start, end) of an open file, less what lies beyond its end; into the place of each in `into` when that is given. */
export async function* readHandle(
  handle: FileHandle,
  { start, end }: ByteRange,
  into?: Buffer,
): AsyncGenerator<Buffer> {
  for (let at = start; at < end;) {
    const wanted = Math.min(readSize, end - at)
    const memory = into?.subarray(at - start) ?? Buffer.allocUnsafe(wanted)
    const { bytesRead } = await onDisk(() => handle.read(memory, 0, wanted, at))
    if (bytesRead === 0) return
    at += bytesRead
    yield memory.subarray(0, bytesRead)
  }
}
