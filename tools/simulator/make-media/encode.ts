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
  const rate = (hertz: number) => ['-ar', String(hertz)]
  switch (encoding) {
    case 'amr-nb':
      ffmpegAmr([
        '-i',
        wav,
        ...mono,
        ...rate(8000),
        '-c:a',
        'libopencore_amrnb',
        '-b:a',
        '12.2k',
        '-f',
        'amr',
        file,
      ])
      return 'audio/amr'
    case 'amr-wb':
      ffmpegAmr([
        '-i',
        wav,
        ...mono,
        ...rate(16000),
        '-c:a',
        'libvo_amrwbenc',
        '-b:a',
        '15.85k',
        '-f',
        'amr',
        file,
      ])
      return 'audio/amr-wb'
    case 'amr-3gp':
      ffmpegAmr([
        '-i',
        wav,
        ...mono,
        ...rate(8000),
        '-c:a',
        'libopencore_amrnb',
        '-b:a',
        '12.2k',
        ...plain,
        '-f',
        '3gp',
        file,
      ])
      return 'audio/3gpp'
    case 'aac':
      ffmpeg([
        '-i',
        wav,
        ...mix,
        ...rate(16000),
        '-c:a',
        'aac',
        '-b:a',
        channels === 1 ? '24k' : '40k',
        ...plain,
        '-f',
        'ipod',
        file,
      ])
      return 'audio/mp4'
    case 'opus':
      ffmpeg([
        '-i',
        wav,
        ...mix,
        '-c:a',
        'libopus',
        '-b:a',
        channels === 1 ? '16k' : '28k',
        '-application',
        'voip',
        ...plain,
        '-f',
        'ogg',
        file,
      ])
      return 'audio/ogg'
    case 'mp3':
      ffmpeg([
        '-i',
        wav,
        ...mix,
        ...rate(16000),
        '-c:a',
        'libmp3lame',
        '-b:a',
        '32k',
        ...plain,
        '-f',
        'mp3',
        file,
      ])
      return 'audio/mpeg'
    case 'wav':
      ffmpeg(['-i', wav, ...mix, ...rate(8000), '-c:a', 'pcm_s16le', ...plain, '-f', 'wav', file])
      return 'audio/wav'
  }
}
