import type { Sniffed } from '../port.ts'

/** Whether a format can be read without ffmpeg: the tracks of an MP4 or 3GP file, or the sound itself. */
export const hasBuiltInReader = ({ container, codec }: Pick<Sniffed, 'container' | 'codec'>): boolean =>
  container === 'amr' || container === 'mp4' || container === 'wav' || container === 'mp3' || codec === 'opus'
