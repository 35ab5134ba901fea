import type { CommentDuration, PayloadComment } from '@custodia/contract'
import { useInfiniteQuery } from '@tanstack/react-query'
import { authorName } from '../../../ui/visible.ts'
import { useDraft } from '../player/draft.ts'
import { requestPlayback } from '../player/pending-playback.ts'
import { commentsQuery, partText } from './queries.ts'
import classes from './comments.module.css'

type PlacedComment = PayloadComment & { comment_duration: CommentDuration }

/** Comments on a part of the recording. */
function usePlaced(payload_reference: string): readonly PlacedComment[] {
  const { data } = useInfiniteQuery(commentsQuery(payload_reference, 'open'))
  return (data?.pages ?? []).flatMap(({ data }) =>
    data.filter((comment): comment is PlacedComment => comment.comment_duration !== null),
  )
}

const getPlace = ({ start_time, duration }: CommentDuration, length: number) => {
  const share = (seconds: number) => `${length > 0 ? Math.min(1, seconds / length) * 100 : 0}%`
  return { left: share(start_time), width: share(duration) }
}

/** Commented parts and the current selection, drawn over the waveform. Decorative: the lane below and the list are interactive. */
export function CommentMarks({ payload_reference, length }: { payload_reference: string; length: number }) {
  const placed = usePlaced(payload_reference)
  const part = useDraft(payload_reference)?.part
  return (
    <div className={classes.marks} aria-hidden="true">
      {placed.map(({ comment_id, comment_duration }) => (
        <div key={comment_id} className={classes.mark} style={getPlace(comment_duration, length)} />
      ))}
      {part && <div className={classes.meant} style={getPlace(part, length)} />}
    </div>
  )
}

/** Positions of comments below the waveform, to scale: a press plays from there. The list has the same buttons. */
export function CommentLane({ payload_reference, length }: { payload_reference: string; length: number }) {
  const placed = usePlaced(payload_reference)
  if (placed.length === 0) return null
  return (
    <div className={classes.lane} aria-hidden="true">
      {placed.map(({ comment_id, comment_duration, comment_body, ...comment }) => (
        <button
          key={comment_id}
          type="button"
          tabIndex={-1}
          className={classes.flag}
          style={getPlace(comment_duration, length)}
          aria-label={partText(comment_duration)}
          title={`${partText(comment_duration)} · ${authorName(comment, 'raised_by')}: ${(comment_body ?? '').slice(0, 200)}`}
          onClick={() => requestPlayback(payload_reference, comment_duration.start_time)}
        />
      ))}
    </div>
  )
}
