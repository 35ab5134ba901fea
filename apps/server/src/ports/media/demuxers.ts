import { FILM_PIXELS, PHOTO_PIXELS } from './limits.ts'
import { type Container, MediaError } from './port.ts'

/**
 * The only demuxers that ffmpeg may use, by sniffed container; no playlists and scripts (hls, concat, dash,
 * …).
 */
const DEMUXERS: Partial<Record<Container, string>> = {
  amr: 'amr',
  mp4: 'mov',
  heic: 'mov',
  // For thumbnails alone: browsers show the photo itself.
  jpeg: 'jpeg_pipe',
  png: 'png_pipe',
  gif: 'gif',
  webp: 'webp_pipe',
  mp3: 'mp3',
  aac: 'aac',
  wav: 'wav',
  ogg: 'ogg',
  webm: 'matroska',
  matroska: 'matroska',
  flac: 'flac',
}

/** The only decoders: those of device recordings. All other parsers of hostile bytes are off. */
const DECODERS = `
  amrnb amrwb libopencore_amrnb libopencore_amrwb evrc qcelp gsm gsm_ms libgsm libgsm_ms
  aac aac_fixed mp3 mp3float opus libopus vorbis libvorbis speex libspeex flac alac
  pcm_s16le pcm_s16be pcm_u8 pcm_s24le pcm_s32le pcm_f32le pcm_alaw pcm_mulaw adpcm_ima_wav adpcm_ms
  h263 h264 hevc mpeg4 vp8 vp9 libvpx libvpx-vp9 av1 libdav1d mjpeg png gif webp
`
  .trim()
  .split(/\s+/)

const PICTURES: ReadonlySet<Container> = new Set(['heic', 'jpeg', 'png', 'gif', 'webp'])

/**
 * Input options that restrict ffmpeg to one demuxer and our decoders. Throws `unsupported` for other files.
 */
export function demuxing(container: Container): string[] {
  const name = DEMUXERS[container]
  if (name === undefined) throw new MediaError('unsupported', `${container} is not media`)
  // ffmpeg's mov and matroska demuxers have a list of names, and the whitelist compares each.
  const formats = name === 'mov' ? 'mov,mp4,m4a,3gp,3g2,mj2' : name === 'matroska' ? 'matroska,webm' : name
  return [
    '-format_whitelist',
    formats,
    '-codec_whitelist',
    DECODERS.join(','),
    '-max_pixels',
    String(PICTURES.has(container) ? PHOTO_PIXELS : FILM_PIXELS),
    '-f',
    name,
  ]
}
