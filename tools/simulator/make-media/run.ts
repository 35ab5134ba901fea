import { execFileSync } from 'node:child_process'
import { createRequire } from 'node:module'
import path from 'node:path'

export const media_folder = path.join(import.meta.dirname, '..', 'media')

/** Debian's ffmpeg cannot write AMR; this static build of 2018 can. It lives outside the repository (see main.ts). */
function amrFfmpeg(): string {
  const folder = process.env.AMR_FFMPEG_FOLDER
  if (!folder)
    throw new Error('set AMR_FFMPEG_FOLDER to the folder in which @ffmpeg-installer/linux-x64 was installed')
  return createRequire(path.join(folder, 'x.js')).resolve('@ffmpeg-installer/linux-x64/ffmpeg')
}

export function run(command: string, args: string[], input?: Buffer): Buffer {
  return execFileSync(command, args, {
    input,
    maxBuffer: 1 << 28,
    stdio: [input ? 'pipe' : 'ignore', 'pipe', 'inherit'],
  })
}

const quiet = ['-nostdin', '-v', 'error', '-y']
export const ffmpeg = (args: string[]): Buffer => run('ffmpeg', [...quiet, ...args])
export const ffmpegAmr = (args: string[]): Buffer => run(amrFfmpeg(), [...quiet, ...args])

/** Seconds of sound that can be heard, counted after decoding: containers of raw AMR only allow a guess. */
export function duration(file: string): number {
  const pcm = ffmpeg(['-i', file, '-map', '0:a:0', '-ac', '1', '-ar', '8000', '-f', 's16le', 'pipe:1'])
  return Math.round((pcm.length / 16_000) * 1000) / 1000
}
