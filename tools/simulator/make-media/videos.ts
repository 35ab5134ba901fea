import path from 'node:path'
import { writeFileSync } from 'node:fs'
import { narrations } from './conversations.ts'
import { ffmpeg, ffmpegAmr, media_folder } from './run.ts'
import { say } from './speech.ts'

export const videos = [
  {
    file: 'videos/site-walk.mp4',
    from: 'photos/construction-site.jpg',
    title: 'Walk over the construction site',
    says: 'site',
    content_type: 'video/mp4',
  },
  {
    file: 'videos/vistoria-obra.3gp',
    from: 'photos/construction-site.jpg',
    title: 'Vistoria da obra',
    says: 'obra',
    content_type: 'video/3gpp',
  },
] as const

/** A slow pan over a picture with a spoken comment: H.264 + AAC for .mp4, H.263 + AMR (an old phone) for .3gp. */
export function film(video: (typeof videos)[number], scratch: string): void {
  const { language, voice, text } = narrations[video.says]
  const raw = path.join(scratch, 'narration.raw')
  const samples = say(text, language, voice, scratch)
  writeFileSync(raw, Buffer.from(samples.buffer))
  const seconds = (samples.length / 16_000 + 1).toFixed(2)
  const sound = ['-f', 's16le', '-ar', '16000', '-ac', '1', '-i', raw]
  const picture = ['-loop', '1', '-framerate', '12', '-t', seconds, '-i', path.join(media_folder, video.from)]
  const pan = (size: string) =>
    `scale=960:720,crop=640:480:x='min(320,n*2.6)':y='120+40*sin(n/14)',scale=${size},setsar=1,noise=alls=4:allf=t:all_seed=5`
  const out = path.join(media_folder, video.file)
  if (video.says === 'site') {
    const codecs = [
      '-c:v',
      'libx264',
      '-preset',
      'slow',
      '-crf',
      '27',
      '-pix_fmt',
      'yuv420p',
      '-c:a',
      'aac',
      '-b:a',
      '32k',
    ]
    ffmpeg([
      ...picture,
      ...sound,
      '-vf',
      pan('480:360'),
      ...codecs,
      '-af',
      'apad=pad_dur=1',
      '-t',
      seconds,
      '-map_metadata',
      '-1',
      '-fflags',
      '+bitexact',
      '-threads',
      '1',
      out,
    ])
  } else {
    const codecs = [
      '-c:v',
      'h263',
      '-b:v',
      '120k',
      '-r',
      '12',
      '-c:a',
      'libopencore_amrnb',
      '-b:a',
      '12.2k',
      '-ar',
      '8000',
      '-ac',
      '1',
    ]
    ffmpegAmr([
      ...picture,
      ...sound,
      '-vf',
      pan('176:144'),
      ...codecs,
      '-af',
      'apad',
      '-t',
      seconds,
      '-map_metadata',
      '-1',
      '-f',
      '3gp',
      out,
    ])
  }
}
