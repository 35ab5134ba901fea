import { type Mark, MARKS, type Payload } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Card, Group, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useState } from 'react'
import { noticeDone } from '../../../api/notices.ts'
import { reviewApi } from '../../../api/payload-api.ts'
import { useMay } from '../../../api/use-profile.ts'
import { Icon } from '../../../ui/icon.tsx'
import { useSingleKeys } from '../../../ui/use-keys.ts'
import { isListening } from '../player/listener.ts'
import { requestPlayback } from '../player/pending-playback.ts'
import { noteReview, rowsOf } from '../queries.ts'
import { detailOf, type ScreenService } from '../services.ts'
import { heardWords } from '../../../components/words/payload-words.ts'
import { totalText } from '../../../ui/text.ts'
import { usePayloadTotals } from '../payload-totals.ts'
import { placeInQueue, reviewQueue } from '../review-queue.ts'
import { MARK_STYLES, marksQuery } from './marks.ts'
import { keyOf } from '../../../api/call-keys.ts'
import { queryClient } from '../../../api/query-client.ts'
import { withTexts } from '../../../i18n/i18n.ts'

/** Maximum items to check for an unmarked one. */
const MOST = 500

const isMarked = (payload_reference: string): boolean =>
  queryClient
    .getQueriesData<unknown>({ queryKey: keyOf('listPayloads') })
    .some(([, data]) =>
      rowsOf(data).some((row) => row.payload_reference === payload_reference && row.mark !== undefined),
    )

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

// Reasons, notes and history load on demand.
const MarkDialog = lazy(() => withTexts('lazy', import('./mark-dialog.tsx')))

/** The page includes its marks; they are refetched after this time, in milliseconds. */
const FIRST_LOOK_MS = 4_000

/** Marks of the recording, one key per mark; after a mark it opens the next unmarked recording. */
export function MarksBar({ payload, service }: { payload: Payload; service: ScreenService }) {
  const { t, i18n } = useLingui()
  const may = useMay()
  const navigate = useNavigate()
  const { payload_reference, review } = payload
  const [isWatching, setWatching] = useState(false)
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setWatching(true), FIRST_LOOK_MS)
    return () => clearTimeout(timer)
  }, [])
  const left = useLeft(service, isWatching)
  const { data } = useQuery({ ...marksQuery(payload_reference), enabled: isWatching })
  const [last] = data?.marks ?? []
  const mark = last?.mark ?? review?.mark
  const by = last?.marked_by ?? review?.marked_by
  const heard = data?.heard ?? review?.heard
  const own = data?.own ?? review?.own
  const isOwn = own === 'own'
  const mayMark = may('payloads.marks:create') && !isOwn
  const goOn = async () => {
    const next = await nextUnmarked(payload_reference)
    if (next === undefined) return noticeDone(t`No unmarked recording follows in the list`)
    if (isListening(payload_reference)) requestPlayback(next)
    await navigate(detailOf(service, next))
  }
  const marking = useMutation({
    mutationFn: (request: Mark) =>
      reviewApi.addMark({ params: { payload_reference }, body: { mark: request } }),
    onSuccess: ({ mark: made, marked_by }) => {
      noteReview(payload_reference, { mark: made, marked_by })
      return goOn()
    },
  })
  const press = (request: Mark) => {
    if (mayMark && !marking.isPending) marking.mutate(request)
  }
  useSingleKeys({ r: () => press('reviewed'), f: () => press('flagged'), e: () => press('escalated') })
  return (
    <Card component="section" aria-label={t`Review`} padding="sm">
      <Group justify="space-between" gap="xs">
        <Group gap="xs" component="output">
          <Icon name={mark ? MARK_STYLES[mark].icon : 'eye'} size={16} />
          <Text size="sm" span>
            {mark ? (
              <Trans>
                {i18n._(MARK_STYLES[mark].word)} by {by}
              </Trans>
            ) : (
              <Trans>Not marked</Trans>
            )}
            {' · '}
            {i18n._(heardWords(payload.payload_type)[heard ?? 'none'])}
          </Text>
          {left !== undefined && (
            <Text size="sm" span c="dimmed" className="tabular">
              <Trans>Not reviewed in this list: {left}</Trans>
            </Text>
          )}
        </Group>
        <Group gap={6}>
          {may('payloads.marks:create') &&
            MARKS.map((each) => (
              <Button
                key={each}
                size="xs"
                variant="default"
                leftSection={<Icon name={MARK_STYLES[each].icon} size={14} />}
                rightSection={
                  <Text span size="xs" c="dimmed">
                    {MARK_STYLES[each].key.toUpperCase()}
                  </Text>
                }
                loading={marking.isPending && marking.variables === each}
                disabled={isOwn}
                onClick={() => press(each)}
              >
                {i18n._(MARK_STYLES[each].word)}
              </Button>
            ))}
          <Button size="xs" variant="subtle" onClick={() => setOpen(true)}>
            <Trans>Reason, note, history</Trans>
          </Button>
        </Group>
      </Group>
      {isOwn && (
        <Text size="sm" c="dimmed" mt={6}>
          <Trans>This is your own recording: another reviewer marks it.</Trans>
        </Text>
      )}
      {own === 'unknown' && (
        <Text size="sm" c="dimmed" mt={6}>
          <Trans>Ownership is checked by name: you or the device user has no email address here.</Trans>
        </Text>
      )}
      {isOpen && (
        <Suspense>
          <MarkDialog payload={payload} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </Card>
  )
}

let hasLooked = false

/** Unmarked items in the user's list, after the first paint; undefined: unknown. */
function useLeft(service: ScreenService, isWatching: boolean): string | undefined {
  const { i18n } = useLingui()
  hasLooked ||= isWatching
  const queue = reviewQueue()
  const { marked_by_me: _, ...search } = queue?.search ?? {}
  const { data } = usePayloadTotals(
    [{ service, search: { ...search, mark: 'none' } }],
    hasLooked && queue?.service === service && !queue.isChosen,
  )
  const [total] = data?.totals ?? []
  return total && totalText(total, (count) => i18n.number(count))
}
