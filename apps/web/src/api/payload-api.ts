import {
  writeOffEndpoints,
  commentEndpoints,
  contactEndpoints,
  exportEndpoints,
  markEndpoints,
  receiptEndpoints,
  restoreEndpoints,
} from '@custodia/contract'
import { ALERTS, PAYLOADS } from './after-change.ts'
import { portalClient } from './api.ts'

const COMMENTS = ['listComments', 'listCommentsOfPayload', 'listCommentVersions', 'readPayloadAudit'] as const
const MARKS = ['listMarks', 'readPayloadAudit', 'countPayloads', 'countReviews', ...ALERTS] as const

/** The calls about comments, which load with what shows them. */
export const commentsApi = portalClient(commentEndpoints, {
  searchComments: [],
  addComment: COMMENTS,
  updateComment: COMMENTS,
  closeComment: COMMENTS,
})

/** Review actions on recordings; they load with their buttons. */
export const reviewApi = portalClient(
  { ...writeOffEndpoints, ...markEndpoints, ...receiptEndpoints, ...restoreEndpoints },
  {
    writeOffPayload: PAYLOADS,
    // Lists keep their rows during a review; each row takes over its mark.
    addMark: MARKS,
    markPayloads: MARKS,
    markConversations: MARKS,
    withdrawMarks: MARKS,
    decideMark: MARKS,
    saveReviewSettings: ['readReviewSettings'],
    confirmReceipts: PAYLOADS,
    restorePayload: PAYLOADS,
    restorePayloads: PAYLOADS,
  },
)

/** The calls of exports with data, which load with their dialog. */
export const exportsApi = portalClient(exportEndpoints, {
  createExport: ['listExports'],
  deleteExport: ['listExports'],
})

/** The call for the contacts of a number; loads with its panel. */
export const contactsApi = portalClient(contactEndpoints, {})
