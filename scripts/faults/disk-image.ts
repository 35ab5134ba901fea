import { execFile } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, open, rm } from 'node:fs/promises'
import { constants } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findProgram } from '../../apps/server/src/testing/daemon.ts'

const run = promisify(execFile)
const MEGABYTES = 96

/** The state after a power cut. */
export interface Remains {
  folder: string
  remove(): Promise<void>
}

/** A file system in a file that writes back every ten minutes only: the file lacks unsynced data. */
export interface DiskImage {
  /** Mount point. */
  folder: string
  /** Copies the file of the mounted, idle file system, and mounts the copy like a machine after a restart. */
  cutPower(): Promise<Remains>
  remove(): Promise<void>
}

/** Creates an ext4 file system in `top`, mounted at `folder`. Throws without the right to mount. */
export async function diskImage(top: string, folder: string): Promise<DiskImage> {
  const image = join(top, 'disk.ext4')
  const file = await open(image, 'wx', 0o600)
  await file.truncate(MEGABYTES << 20)
  await file.close()
  await run(findProgram('mkfs.ext4') ?? 'mkfs.ext4', ['-q', image])
  await mkdir(folder, { recursive: true })
  await mount(image, folder)
  let cuts = 0
  return {
    folder,
    async cutPower() {
      const copy = join(top, `cut-${++cuts}`)
      await copyFile(image, `${copy}.ext4`, constants.COPYFILE_FICLONE)
      await mkdir(copy)
      await mount(`${copy}.ext4`, copy)
      return {
        folder: copy,
        async remove() {
          await run('umount', [copy])
          await rm(`${copy}.ext4`)
          await rm(copy, { recursive: true })
        },
      }
    },
    async remove() {
      await run('umount', [folder])
      await rm(image)
    },
  }
}

/** Why this process cannot create such a file system, or false when it can. */
export async function reasonWithoutDiskImage(): Promise<string | false> {
  if (process.platform !== 'linux') return 'power is cut on Linux only'
  const top = await mkdtemp(join(tmpdir(), 'custodia-mount-'))
  try {
    await (await diskImage(top, join(top, 'mounted'))).remove()
    return false
  } catch (error) {
    return `no file system can be mounted here: ${(error as Error).message.trim()}`
  } finally {
    await rm(top, { recursive: true, force: true })
  }
}

const mount = (image: string, folder: string) =>
  run('mount', ['-t', 'ext4', '-o', 'loop,commit=600,noatime', image, folder])
