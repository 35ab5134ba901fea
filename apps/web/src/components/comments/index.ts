/** What shows comments beside a payload: one file of the portal, fetched when a payload's page is there. */
export { CommentLane, CommentMarks } from './comment-lane.tsx'
export { CommentsPanel } from './comments-panel.tsx'
