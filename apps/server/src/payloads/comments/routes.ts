import type { House } from '../../house.ts'
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

/** Calls with which people say something about payloads. */
export const commentRoutes = (house: House): Handlers<Calls> => ({
  addComment: addComment(house),
  closeComment: closeComment(house),
  listComments: listComments(house),
  listCommentsOfPayload: listCommentsOfPayload(house),
  listCommentVersions: listCommentVersions(house),
  searchComments: searchComments(house),
  updateComment: updateComment(house),
})
