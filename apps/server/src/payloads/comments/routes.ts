import type { AppContext } from '../../app-context.ts'
import type { Handlers } from '../../http/context.ts'
import { listComments, listCommentsOfPayload, listCommentVersions, searchComments } from './list.ts'
import { addComment, closeComment, updateComment } from './write.ts'

type Calls =
  | 'addComment'
  | 'closeComment'
  | 'listComments'
  | 'listCommentsOfPayload'
  | 'listCommentVersions'
  | 'searchComments'
  | 'updateComment'

/** The endpoints of comments. */
export const commentRoutes = (ctx: AppContext): Handlers<Calls> => ({
  addComment: addComment(ctx),
  closeComment: closeComment(ctx),
  listComments: listComments(ctx),
  listCommentsOfPayload: listCommentsOfPayload(ctx),
  listCommentVersions: listCommentVersions(ctx),
  searchComments: searchComments(ctx),
  updateComment: updateComment(ctx),
})
