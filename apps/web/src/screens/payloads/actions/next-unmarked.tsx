import { Trans, useLingui } from '@lingui/react/macro'
import { Text } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import { noticeDone } from '../../../api/notices.ts'
import type { ListSearch } from '../../../components/lists/list-search.ts'
import { totalText } from '../../../ui/text.ts'
import { useConversationTotal, usePayloadTotals } from '../payload-totals.ts'
import { isListening } from '../player/listener.ts'
import { requestPlayback } from '../player/pending-playback.ts'
import { pageOfPayload } from '../queries.ts'
import { reviewQueue } from '../review-queue.ts'
import type { ScreenService } from '../services.ts'
import { useWatching } from './marks-bar.tsx'

/** Opens the next unmarked recording of the list. */
export function useNextUnmarked(payload_reference: string, service: ScreenService): () => Promise<void> {
  const { t } = useLingui()
  const router = useRouter()
  return async () => {
    const { nextUnmarked } = await import('../next-items.ts')
    const next = await nextUnmarked(payload_reference)
    // The user left while the mark was sent.
    if (!router.latestLocation.pathname.endsWith(payload_reference)) return
    if (next === undefined) return noticeDone(t`No unmarked recording follows in the list`)
    if (isListening(payload_reference)) requestPlayback(next)
    await router.navigate({ ...pageOfPayload(next, service), replace: true, state: true })
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
