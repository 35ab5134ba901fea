import { statfs } from 'node:fs/promises'
import { NoRoom } from './objects/port.ts'

/** Size and free space of a file system in bytes. */
export interface FreeSpace {
  folder: string
  free: number
  total: number
}

/** The free space of an installation's disks, and its reservations. */
export interface DiskSpace {
  /** Room on each watched folder's file system. */
  look(): Promise<FreeSpace[]>
  /** Bytes that running uploads may still write. */
  reserved(): number
  /** Bytes that always stay free. */
  readonly reserve: number
  /** Throws NoRoom when even the reserve is not free. */
  assertRoom(): Promise<void>
  /**
   * Reserves bytes until the returned function is called. Throws NoRoom when they do not fit with the reserve
   * and all reservations.
   */
  take(bytes: number): Promise<() => void>
}

/** Bytes of an upload that may rely on a recent look: a system call for each message costs more than it tells. */
const SMALL = 1024 ** 2
/** Milliseconds for which a look counts as recent. */
const RECENT = 250

/**
 * Watches the free space of folders: the database needs room for its log, and a discarded upload costs a
 * device its battery. Reservations are those of this process; other processes' writes show as disk usage.
 */
export function diskSpace(folders: readonly string[], reserve: number): DiskSpace {
  let promised = 0
  let last: { at: number; spaces: Promise<FreeSpace[]> } | undefined
  const look = () => Promise.all(folders.map(readSpace))

  function lookRecently(): Promise<FreeSpace[]> {
    if (last === undefined || performance.now() - last.at > RECENT) {
      const spaces = look()
      last = { at: performance.now(), spaces }
      spaces.catch(() => (last = undefined))
    }
    return last.spaces
  }

  async function assertFree(bytes: number, spaces = look()): Promise<void> {
    for (const { folder, free } of await spaces)
      if (free < bytes + reserve)
        throw new NoRoom(
          `${folder} has ${free} bytes free; ${reserve} are held in reserve and ${bytes} more are needed`,
        )
  }

  return {
    look,
    reserve,
    reserved: () => promised,
    assertRoom: () => assertFree(0),
    async take(bytes) {
      // Counted before the check, so that concurrent reservations see each other.
      promised += bytes
      let isHeld = true
      const giveBack = () => {
        if (isHeld) promised -= bytes
        isHeld = false
      }
      try {
        await assertFree(promised, bytes <= SMALL ? lookRecently() : look())
        return giveBack
      } catch (error) {
        giveBack()
        throw error
      }
    },
  }
}

async function readSpace(folder: string): Promise<FreeSpace> {
  const { bavail, blocks, bsize } = await statfs(folder)
  return { folder, free: bavail * bsize, total: blocks * bsize }
}
