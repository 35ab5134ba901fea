import type { MediaOptions, MediaSource, MediaTools, Probe, Rendition, Sniffed } from './port.ts'
import { EXIF_HEAD, readExif } from './exif.ts'
import { runTool } from './run.ts'

/** Longest side of a thumbnail in pixels: sharp on tiles of half the size. */
const SIDE = 400
/** Most bytes of a thumbnail: real ones have a few kilobytes. */
const MOST_BYTES = 256 * 1024

/** Rotates a picture by its orientation (Exif), which browsers only apply to the photo itself. */
const TURNS: Readonly<Record<number, string>> = {
  2: 'hflip',
  3: 'hflip,vflip',
  4: 'vflip',
  5: 'transpose=0',
  6: 'transpose=1',
  7: 'transpose=3',
  8: 'transpose=2',
}

/**
 * A small JPEG of a photo, or of the first picture of a film, upright and without metadata. Decoded under the
 * confinement and memory of every run; the size was checked before (`inspectPicture`, `-max_pixels`). Fails
 * like a rendition.
 */
export async function renderThumbnail(
  tools: MediaTools,
  source: MediaSource,
  { container }: Sniffed | Probe,
  options?: MediaOptions,
): Promise<Rendition> {
  const turn = container === 'jpeg' ? TURNS[await orientationOf(source)] : undefined
  const scale = `scale=w='min(${SIDE},iw)':h='min(${SIDE},ih)':force_original_aspect_ratio=decrease:force_divisible_by=2`
  const picture = [
    '-map',
    '0:v:0',
    '-frames:v',
    '1',
    '-vf',
    [scale, turn, 'format=yuvj420p'].filter(Boolean).join(),
  ]
  const bare = ['-map_metadata', '-1', '-fflags', '+bitexact', '-flags:v', '+bitexact', '-sn', '-dn', '-an']
  const args = (input: string[]) => [
    '-nostdin',
    '-v',
    'error',
    '-nostats',
    '-y',
    '-filter_threads',
    '1',
    // ffmpeg rotates films by their metadata; not every version does so for a JPEG.
    ...(container === 'jpeg' ? ['-noautorotate'] : []),
    ...input,
    ...picture,
    ...bare,
    '-c:v',
    'mjpeg',
    '-q:v',
    '5',
    '-f',
    'mjpeg',
    'pipe:1',
  ]
  const limits = { run_seconds: 120, cpu_seconds: 60, ...options?.limits, output_bytes: MOST_BYTES }
  const chunks = runTool({
    tools,
    program: 'ffmpeg',
    source,
    container,
    args,
    options: { ...options, limits },
  })
  return { content_type: 'image/jpeg', extension: 'jpg', chunks }
}

async function orientationOf(source: MediaSource): Promise<number> {
  const head: Uint8Array[] = []
  for await (const chunk of source.read(0, Math.min(EXIF_HEAD, source.size))) head.push(chunk)
  return readExif(Buffer.concat(head)).orientation ?? 1
}
