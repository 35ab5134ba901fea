import { Trans, useLingui } from '@lingui/react/macro'
import { Text } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { noticeDone } from '../../../api/notices.ts'
import type { ListSearch } from '../../../components/lists/list-search.ts'
import { totalText } from '../../../ui/text.ts'
import { useConversationTotal, usePayloadTotals } from '../payload-totals.ts'
import { isListening } from '../player/listener.ts'
import { requestPlayback } from '../player/pending-playback.ts'
import { isConversationReviewed, pageOfPayload, rowOf } from '../queries.ts'
import { placeInQueue, reviewQueue } from '../review-queue.ts'
import type { ScreenService } from '../services.ts'
import { useWatching } from './marks-bar.tsx'

/** Maximum items to check for an unmarked one. */
const MOST = 500

const isMarked = (payload_reference: string): boolean =>
  rowOf(payload_reference)?.mark !== undefined || isConversationReviewed(payload_reference)

/** Next unmarked item after `payload_reference`, by the list's data. */
async function nextUnmarked(payload_reference: string): Promise<string | undefined> {
  let from = payload_reference
  for (let looked = 0; looked < MOST; looked++) {
    let place = placeInQueue(from)
    if (place?.next === undefined && place?.hasNext === true) {
      const { readOn } = await import('../queue-more.ts')
      await readOn(from).catch(() => undefined)
      place = placeInQueue(from)
    }
    if (place?.next === undefined || !isMarked(place.next)) return place?.next
    from = place.next
  }
  return undefined
}

/** Opens the next unmarked recording of the list. */
export function useNextUnmarked(payload_reference: string, service: ScreenService): () => Promise<void> {
  const { t } = useLingui()
  const navigate = useNavigate()
  return async () => {
    const next = await nextUnmarked(payload_reference)
    if (next === undefined) return noticeDone(t`No unmarked recording follows in the list`)
    if (isListening(payload_reference)) requestPlayback(next)
    await navigate({ ...pageOfPayload(next, service), replace: true })
  }
}

let hasLooked = false

/** Unmarked items in the user's list, after the first paint. */
export function LeftToReview({ service }: { service: ScreenService }) {
  const { i18n } = useLingui()
  const isWatching = useWatching()
  hasLooked ||= isWatching
  const queue = reviewQueue()
  const { marked_by_me: _, ...filters }: ListSearch = queue?.search ?? {}
  const search = { ...filters, mark: 'none' }
  const isAsked = hasLooked && queue?.service === service && !queue.isChosen
  const isOfConversations = queue?.isOfConversations === true
  const { data } = usePayloadTotals([{ service, search }], isAsked && !isOfConversations)
  const conversations = useConversationTotal(search, isAsked && isOfConversations)
  const total = isOfConversations ? conversations.data : data?.totals[0]
  const left = total && totalText(total, (count) => i18n.number(count))
  if (left === undefined) return null
  return (
    <Text size="sm" span c="dimmed" className="tabular" data-not-printed>
      <Trans>Not reviewed in this list: {left}</Trans>
    </Text>
  )
}
