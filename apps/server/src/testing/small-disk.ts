import { execFileSync } from 'node:child_process'
import { findProgram } from './daemon.ts'

const MOUNT = findProgram('mount')
const UMOUNT = findProgram('umount')

/** Options for a test that mounts a file system of its own; without the privilege it is skipped by name. */
export const mayMount = {
  skip:
    process.platform === 'linux' && process.getuid?.() === 0 && MOUNT && UMOUNT
      ? false
      : 'needs the privilege to mount a small file system',
} as const

/** Mounts a file system in memory over a folder, e.g. `size=64k` or `ro`. @returns a function that takes it away. */
export function smallDisk(folder: string, options: string): () => void {
  execFileSync(MOUNT ?? '', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder])
  return () => void execFileSync(UMOUNT ?? '', ['-l', folder])
}
