import { useMay } from '../../api/use-profile.ts'
import { ListPage } from '../../components/lists/list-page.tsx'
import { comments, commentsOfReviewers } from '../payloads/comments/comment-lists.tsx'

/** `/dashboard/services/comments`: comments on recordings that the user may see. */
export const CommentsList = () => (
  <ListPage list={useMay()('payloads.comments:history') ? comments : commentsOfReviewers} />
)
