import type { Mark } from '@custodia/contract'
import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { queryOptions } from '@tanstack/react-query'
import { callQuery, repeatedQuery } from '../../../api/call-keys.ts'
import { reviewApi } from '../../../api/payload-api.ts'
import { MARK_WORDS } from '../../../components/words/payload-words.ts'
import type { IconName } from '../../../ui/icon.tsx'

/** State and verb, icon and key of marks. */
export const MARK_STYLES: Readonly<
  Record<Mark, { word: MessageDescriptor; act: MessageDescriptor; icon: IconName; key: string }>
> = {
  reviewed: {
    word: MARK_WORDS.reviewed,
    act: msg`Mark as reviewed`,
    icon: 'check',
    key: 'r',
  },
  flagged: { word: MARK_WORDS.flagged, act: msg`Flag`, icon: 'tag', key: 'f' },
  escalated: {
    word: MARK_WORDS.escalated,
    act: msg`Escalate`,
    icon: 'warning',
    key: 'e',
  },
}

/** Poll interval in milliseconds: two reviewers see each other's marks within five seconds. */
const WATCH_MS = 3_000

/** Marks of a payload, and its listeners. */
export const marksQuery = (payload_reference: string) =>
  queryOptions({
    ...repeatedQuery(reviewApi, 'listMarks', { params: { payload_reference } }),
    refetchInterval: WATCH_MS,
    meta: { isWatch: true, silent: true },
  })

/** Reasons of marks, and the share to hear. */
export const reviewSettingsQuery = queryOptions({
  ...callQuery(reviewApi, 'readReviewSettings'),
  staleTime: 5 * 60_000,
})
