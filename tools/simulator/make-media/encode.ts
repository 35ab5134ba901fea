import type { Conversation } from './conversations.ts'
import { ffmpeg, ffmpegAmr } from './run.ts'

const plain = ['-map_metadata', '-1', '-fflags', '+bitexact', '-flags:a', '+bitexact']

/** Encodes a WAV the way phones and call recorders do; returns the content type. */
export function encodeAudio(
  wav: string,
  file: string,
  encoding: Conversation['encoding'],
  channels: 1 | 2,
): string {
  const mono = ['-af', 'pan=mono|c0=0.9*c0+0.9*c1']
  const mix = channels === 1 ? mono : ['-ac', '2']
  const amr = (codec: string) => ffmpegAmr(['-i', wav, ...mono, ...codec.split(' '), file])
  const encode = (codec: string, format: string) =>
    ffmpeg(['-i', wav, ...mix, ...codec.split(' '), ...plain, '-f', format, file])
  switch (encoding) {
    case 'amr-nb':
      amr('-ar 8000 -c:a libopencore_amrnb -b:a 12.2k -f amr')
      return 'audio/amr'
    case 'amr-wb':
      amr('-ar 16000 -c:a libvo_amrwbenc -b:a 15.85k -f amr')
      return 'audio/amr-wb'
    case 'amr-3gp':
      amr(`-ar 8000 -c:a libopencore_amrnb -b:a 12.2k ${plain.join(' ')} -f 3gp`)
      return 'audio/3gpp'
    case 'aac':
      encode(`-ar 16000 -c:a aac -b:a ${channels === 1 ? '24k' : '40k'}`, 'ipod')
      return 'audio/mp4'
    case 'opus':
      encode(`-c:a libopus -b:a ${channels === 1 ? '16k' : '28k'} -application voip`, 'ogg')
      return 'audio/ogg'
    case 'mp3':
      encode('-ar 16000 -c:a libmp3lame -b:a 32k', 'mp3')
      return 'audio/mpeg'
    case 'wav':
      encode('-ar 8000 -c:a pcm_s16le', 'wav')
      return 'audio/wav'
  }
}
