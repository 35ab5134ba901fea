import type { CommentDuration } from '@custodia/contract'
import { formatDuration } from '../../../ui/time-format.ts'

/** A moment or a part of a recording: `0:12`, `0:12–0:30`. */
export function partText({ start_time, duration }: CommentDuration): string {
  const start = formatDuration(Math.floor(start_time))
  return duration === 0 ? start : `${start}–${formatDuration(Math.floor(start_time + duration))}`
}
