import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { detectConfinement, toolEnvironment } from './confinement.ts'
import type { MediaTools } from './port.ts'

const ask = promisify(execFile)

async function version(program: string): Promise<string | undefined> {
  try {
    const { stdout } = await ask(program, ['-version'], { timeout: 10_000, env: toolEnvironment() })
    return /^ff(?:mpeg|probe) version (\S+)/.exec(stdout)?.[1]
  } catch {
    return undefined
  }
}

/** Finds ffmpeg and ffprobe at the given paths or in PATH. Undefined unless both start. */
export async function detectMedia(
  paths: { ffmpeg?: string; ffprobe?: string } = {},
): Promise<MediaTools | undefined> {
  const ffmpeg = paths.ffmpeg ?? 'ffmpeg'
  const ffprobe = paths.ffprobe ?? 'ffprobe'
  const [ffmpeg_version, ffprobe_version] = await Promise.all([version(ffmpeg), version(ffprobe)])
  if (ffmpeg_version === undefined || ffprobe_version === undefined) return undefined
  const confinement = await detectConfinement(ffmpeg, '-version')
  return { ffmpeg, ffprobe, ffmpeg_version, ffprobe_version, confinement }
}

/**
 * For `/readyz`: whether recordings are converted, and which confinements are missing. It never makes the
 * server unready.
 */
export function describeMedia(tools: MediaTools | undefined): string {
  if (!tools) return 'not installed'
  const { missing } = tools.confinement
  return missing.length === 0 ? 'confined' : `without ${missing.join(', ')}`
}
