import type { Sniffed } from '../port.ts'

/** Whether something is to be found out about a format without ffmpeg: what an MP4 or 3GP file holds, or the sound itself. */
export const hasBuiltInReader = ({ container, codec }: Pick<Sniffed, 'container' | 'codec'>): boolean =>
  container === 'amr' || container === 'mp4' || container === 'wav' || container === 'mp3' || codec === 'opus'
