import { getLimits, RENDERED_RATE, RENDERED_WIDTH } from './limits.ts'
import { withIndex } from './mp4-index.ts'
import {
  type Draft,
  MediaError,
  type MediaOptions,
  type MediaSource,
  type Probe,
  type Rendition,
  type SniffedType,
} from './port.ts'
import { getChannels } from './probe.ts'
import { runTool, words } from './run.ts'
import type { MediaTools } from './tools.ts'

const QUIET = words('-nostdin -v error -nostats -y -filter_threads 1')
/** No metadata of the original, and the same bytes on every run. */
const ANONYMOUS = words('-map_metadata -1 -map_chapters -1 -fflags +bitexact -sn -dn')

function refuseLong(probe: Probe, options: MediaOptions | undefined): string[] {
  const { media_seconds } = getLimits(options)
  if ((probe.duration ?? 0) > media_seconds) throw new MediaError('limit', 'the recording is too long')
  return ['-t', String(media_seconds)]
}

/**
 * MP3 at a constant bit rate without a header frame: 32 kbit/s mono, 48 kbit/s for two channels. Chromium
 * then knows the length from the size and seeks with one request; other formats took up to ten requests or
 * read the whole file. It is also the cheapest to encode.
 */
export function renderAudio(
  tools: MediaTools,
  source: MediaSource,
  probe: Probe,
  options?: MediaOptions,
): Rendition {
  const length = refuseLong(probe, options)
  const rate = getChannels(probe) === 2 ? '-ac 2 -joint_stereo 0 -b:a 48k' : '-ac 1 -b:a 32k'
  const output = words(`-c:a libmp3lame ${rate} -ar 16000 -write_xing 0 -id3v2_version 0 -f mp3 pipe:1`)
  const args = (input: string[]) => [
    ...QUIET,
    ...input,
    ...length,
    ...words('-map 0:a:0'),
    ...ANONYMOUS,
    ...output,
  ]
  const run = { tools, program: 'ffmpeg', source, container: probe.container, args, options } as const
  return { content_type: 'audio/mpeg', extension: 'mp3', chunks: runTool(run) }
}

/**
 * H.264 and AAC in MP4, at most 1280 pixels wide. ffmpeg writes fragments, because it has no seekable file;
 * `withIndex` adds the index, without which Chromium reads the whole file first. Resolves when ffmpeg has
 * ended; the output is in the `draft` until then.
 */
export async function renderVideo(
  tools: MediaTools,
  source: MediaSource,
  probe: Probe,
  draft: Draft,
  options?: MediaOptions,
): Promise<Rendition> {
  const length = refuseLong(probe, options)
  const size = `scale=w='max(2,min(${RENDERED_WIDTH},trunc(iw/2)*2))':h=-2`
  // Lookahead pictures of the encoder take memory.
  const picture = `-map 0:v:0 -vf ${size} -c:v libx264 -threads 1 -x264-params rc-lookahead=2:sync-lookahead=0
    -bf 0 -preset veryfast -profile:v main -pix_fmt yuv420p`
  const rate = `-crf 27 -maxrate 1500k -bufsize 3000k -fpsmax ${RENDERED_RATE}`
  // Fragments end at key frames: the head of a two-second fragment fits in the 32 KiB that ffmpeg can still
  // correct in a pipe.
  const keys = '-force_key_frames expr:gte(t,n_forced*2)'
  const sound = `-map 0:a:0? -c:a aac -b:a 48k -ac ${getChannels(probe)}`
  const format = '-f mp4 -movflags +frag_keyframe+empty_moov+default_base_moof pipe:1'
  const output = words([picture, rate, keys, sound, format].join(' '))
  const args = (input: string[]) => [...QUIET, ...input, ...length, ...ANONYMOUS, ...output]
  const run = { tools, program: 'ffmpeg', source, container: probe.container, args, options } as const
  return { content_type: 'video/mp4', extension: 'mp4', chunks: await withIndex(runTool(run), draft) }
}

/**
 * JPEG of a picture that browsers do not show (HEIC). Throws `unsupported` or `corrupt` with an ffmpeg that
 * cannot read it.
 */
export function renderImage(
  tools: MediaTools,
  source: MediaSource,
  sniffed: SniffedType | Probe,
  options?: MediaOptions,
): Rendition {
  const output = words('-pix_fmt yuvj420p -q:v 4 -f mjpeg pipe:1')
  const args = (input: string[]) => [
    ...QUIET,
    ...input,
    ...words('-map 0:v:0 -frames:v 1'),
    ...ANONYMOUS,
    ...output,
  ]
  const run = { tools, program: 'ffmpeg', source, container: sniffed.container, args, options } as const
  return { content_type: 'image/jpeg', extension: 'jpg', chunks: runTool(run) }
}
