import type { Container, Probe, SniffedType } from './port.ts'

/** Why a recording does not play, and the rendition that it needs. Without `needs` it has nothing to play. */
export type Playability =
  | { playable: true }
  | {
      playable: false
      needs: 'audio' | 'video' | 'image'
      why: 'audio_codec' | 'video_codec' | 'container' | 'image_format'
    }
  | { playable: false; needs?: undefined; why: 'not_media' | 'codec_unknown' }

const AUDIO: Partial<Record<Container, readonly string[]>> = {
  amr: [],
  mp4: ['aac', 'mp3', 'opus', 'flac'],
  mp3: ['mp3'],
  aac: ['aac'],
  wav: ['pcm_s16le', 'pcm_u8', 'pcm_s24le', 'pcm_s32le', 'pcm_f32le', 'pcm_alaw', 'pcm_mulaw'],
  ogg: ['opus', 'vorbis', 'flac'],
  webm: ['opus', 'vorbis'],
  flac: ['flac'],
}
const VIDEO: Partial<Record<Container, readonly string[]>> = {
  mp4: ['h264', 'av1'],
  webm: ['vp8', 'vp9', 'av1'],
}
const IMAGES: ReadonlySet<Container> = new Set(['jpeg', 'png', 'gif', 'webp'])
/** Eight bits and 4:2:0: browsers do not reliably decode other H.264. */
const PIXELS = new Set(['yuv420p', 'yuvj420p'])

function ofSniffed({ container, content_type, codec }: SniffedType): Playability {
  if (container === 'amr') return { playable: false, needs: 'audio', why: 'audio_codec' }
  if (codec !== undefined) {
    return AUDIO[container]?.includes(codec)
      ? { playable: true }
      : { playable: false, needs: 'audio', why: 'audio_codec' }
  }
  if (container === 'matroska') return { playable: false, needs: 'video', why: 'container' }
  // 3GP mostly contains AMR or H.263; the others nearly always a format that browsers play.
  const is_known = container === 'webm' || (container === 'mp4' && !content_type.startsWith('video/3gpp'))
  return is_known ? { playable: true } : { playable: false, why: 'codec_unknown' }
}

function ofProbe({ container, audio, video }: Probe): Playability {
  const hears = audio === undefined || (AUDIO[container]?.includes(audio.codec) ?? false)
  if (!video) {
    if (hears) return { playable: true }
    return { playable: false, needs: 'audio', why: AUDIO[container] ? 'audio_codec' : 'container' }
  }
  const codecs = VIDEO[container]
  if (!codecs) return { playable: false, needs: 'video', why: 'container' }
  const sees = codecs.includes(video.codec) && PIXELS.has(video.pixel_format ?? 'yuv420p')
  if (!sees) return { playable: false, needs: 'video', why: 'video_codec' }
  return hears ? { playable: true } : { playable: false, needs: 'video', why: 'audio_codec' }
}

/**
 * Whether Chromium, Firefox and Safari play the bytes as they are. Sound or picture alone of a film counts as
 * not playable, because browsers then fail silently. Without ffprobe it knows only the sniffed format.
 */
export function playability(about: Probe | SniffedType): Playability {
  const { container } = about
  if (IMAGES.has(container)) return { playable: true }
  if (container === 'heic') {
    return about.content_type === 'image/avif'
      ? { playable: true }
      : { playable: false, needs: 'image', why: 'image_format' }
  }
  if (['zip', 'json', 'text', 'unknown'].includes(container)) return { playable: false, why: 'not_media' }
  return 'extension' in about ? ofSniffed(about) : ofProbe(about)
}
