import { type Mark, MARKS, type Payload } from '@custodia/contract'
import { isPlayed, isTooLittle, getSeconds } from '@custodia/domain/can'
import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Card, Group, Text } from '@mantine/core'
import { onlineManager, useMutation, useQuery } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react'
import { sentWhenReachable } from '../../../api/connection.ts'
import { queryClient, runMark } from '../../../api/query-client.ts'
import { useMay, useProfile } from '../../../api/use-profile.ts'
import { heardWords } from '../../../components/words/payload-words.ts'
import { withTexts } from '../../../i18n/i18n.ts'
import { Icon } from '../../../ui/icon.tsx'
import { keepKeysForPage } from '../../../ui/keep-keys.ts'
import { useSingleKeys } from '../../../ui/use-keys.ts'
import { authorName } from '../../../ui/visible.ts'
import { heardText, markConversations, markOne, undoMarks, withdrawAct } from './marking.ts'
import { MARK_STYLES, marksQuery, reviewSettingsQuery } from './marks.ts'
import cellClasses from '../payload-cells.module.css'

// Reasons, notes and history load on demand.
const MarkDialog = lazy(() => withTexts('lazy', import('./mark-dialog.tsx')))

/** The page includes its marks; they are refetched after this time, in milliseconds. */
const FIRST_LOOK_MS = 4_000

/** The present review of a recording: from its page at once, then from its marks. */
function useReview(payload: Payload, isWatching: boolean) {
  const { review, payload_reference } = payload
  const { user_reference } = useProfile()
  const { data } = useQuery({ ...marksQuery(payload_reference), enabled: isWatching })
  const last = data?.marks.find(({ withdrawn_at }) => withdrawn_at === null)
  const shown = last ?? (data === undefined ? review : undefined)
  return {
    mark: shown?.mark ?? undefined,
    marked_by: shown && authorName(shown, 'marked_by'),
    /** The user's own mark, which a second press takes back. */
    mine: last?.marked_by === user_reference ? last : undefined,
    isMine: shown?.marked_by === user_reference,
    heard: data?.heard ?? review?.heard ?? 'none',
    own: data?.own ?? review?.own,
    seconds: isPlayed(payload.payload_type) ? getSeconds(review?.parts ?? []) : null,
    length: data?.length ?? review?.length,
    listeners: data?.listeners.length ?? 0,
  }
}

/** After the first paint, and at once for later recordings. */
export function useWatching(): boolean {
  const [isWatching, setWatching] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setWatching(true), FIRST_LOOK_MS)
    return () => clearTimeout(timer)
  }, [])
  return isWatching
}

/**
 * Marks of a recording, on its page with one key per mark.
 * @param onMarked opens the next recording; absent in a preview, where the list has the keys
 * @param children facts of the list
 */
export function MarksBar({
  payload,
  onMarked,
  children,
}: {
  payload: Payload
  onMarked?: () => Promise<void>
  children?: ReactNode
}) {
  const { t } = useLingui()
  const may = useMay()
  const [isOpen, setOpen] = useState(false)
  const isWatching = useWatching()
  const review = useReview(payload, isWatching)
  const isOfConversation =
    onMarked !== undefined && payload.thread_id !== undefined && may('devices.sms:read')
  const mutationKey = ['mark', payload.payload_reference]
  const marking = useMutation({
    mutationKey,
    ...sentWhenReachable(async (mark: Mark) => {
      if (review.mine?.mark === mark && review.mark === mark) return withdrawAct(review.mine.mark_id)
      // The page shows the conversation; a flag or an escalation points at the message.
      await (isOfConversation && mark === 'reviewed'
        ? markConversations({ keys: [payload.payload_reference] }, true)
        : markOne(payload.payload_reference, mark))
      await onMarked?.()
    }),
  })
  const mayMark = may('payloads.marks:create') && review.own !== 'own'
  const router = useRouter()
  const press = (mark: Mark) => {
    // Asks the client: a kept key may come before the end of the former mark is rendered.
    if (!mayMark || queryClient.isMutating({ mutationKey }) > 0) return
    marking.mutate(mark)
    // Keys pressed meanwhile belong to the next recording; without the server the mark waits, and keys do not.
    if (onMarked) keepKeysForPage(router, () => !queryClient.isMutating() || !onlineManager.isOnline())
  }
  useSingleKeys(
    onMarked === undefined
      ? {}
      : {
          r: () => press('reviewed'),
          f: () => press('flagged'),
          e: () => press('escalated'),
          z: () => runMark(undoMarks),
        },
  )
  return (
    <Card component="section" aria-label={t`Review`} padding="sm">
      <Group justify="space-between" gap="xs">
        <Group gap="xs" component="output">
          <ReviewState payload={payload} review={review} />
          {children}
        </Group>
        <Group gap={6}>
          {may('payloads.marks:create') && (
            <MarkButtons
              review={review}
              isOfConversation={isOfConversation}
              busy={marking.isPending ? marking.variables : undefined}
              onPress={press}
            />
          )}
          <Button size="xs" variant="subtle" onClick={() => setOpen(true)}>
            <Trans>History and listeners</Trans>
          </Button>
        </Group>
      </Group>
      <Ownership own={review.own} />
      {isOpen && (
        <Suspense>
          <MarkDialog payload={payload} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </Card>
  )
}

function MarkButtons({
  review,
  isOfConversation,
  busy,
  onPress,
}: {
  review: ReturnType<typeof useReview>
  isOfConversation: boolean
  busy: Mark | undefined
  onPress: (mark: Mark) => void
}) {
  const { t, i18n } = useLingui()
  return MARKS.map((mark) => (
    <MarkButton
      key={mark}
      mark={mark}
      act={
        isOfConversation && mark === 'reviewed'
          ? t`Mark conversation as reviewed`
          : i18n._(MARK_STYLES[mark].act)
      }
      isPressed={review.mark === mark && review.isMine}
      isBusy={busy === mark}
      isDisabled={review.own === 'own'}
      onPress={onPress}
    />
  ))
}

/** The mark, and what the user has heard, where there is something to hear. */
function ReviewState({ payload, review }: { payload: Payload; review: ReturnType<typeof useReview> }) {
  const { i18n } = useLingui()
  const { mark, marked_by, isMine, heard, seconds, length } = review
  const settings = useQuery({ ...reviewSettingsQuery, enabled: seconds !== null && heard === 'me' })
  const min_share = settings.data?.min_share ?? 0
  const is_playable = payload.media?.is_playable === true
  const isEarly =
    seconds !== null &&
    seconds > 0 &&
    isTooLittle('reviewed', { ...payload, is_playable, seconds, length }, min_share)
  const result =
    seconds !== null && seconds > 0
      ? heardText(seconds, length)
      : payload.payload_state !== 'NotRecorded' && i18n._(heardWords(payload.payload_type)[heard])
  return (
    <>
      <Icon name={mark ? MARK_STYLES[mark].icon : 'eye'} size={16} />
      <Text size="sm" span>
        {!mark && <Trans>Not marked</Trans>}
        {mark && isMine && <Trans>{i18n._(MARK_STYLES[mark].word)} by you</Trans>}
        {mark && !isMine && (
          <Trans>
            {i18n._(MARK_STYLES[mark].word)} by {marked_by}
          </Trans>
        )}
        {result && ` · ${result}`}
      </Text>
      {isEarly && (
        <Text size="sm" span fw={600} className={cellClasses.flag} data-tone="late">
          {settings.data?.requires_share ? (
            <Trans>Hear {min_share} % before the review</Trans>
          ) : (
            <Trans>Less than {min_share} %</Trans>
          )}
        </Text>
      )}
    </>
  )
}

function MarkButton(props: {
  mark: Mark
  act: string
  isPressed: boolean
  isBusy: boolean
  isDisabled: boolean
  onPress: (mark: Mark) => void
}) {
  const { i18n } = useLingui()
  const { word, icon, key } = MARK_STYLES[props.mark]
  return (
    <Button
      size="xs"
      variant={props.isPressed ? 'light' : 'default'}
      aria-pressed={props.isPressed}
      leftSection={<Icon name={icon} size={14} />}
      rightSection={
        <Text span size="xs" c={props.isPressed ? undefined : 'dimmed'}>
          {key.toUpperCase()}
        </Text>
      }
      loading={props.isBusy}
      disabled={props.isDisabled}
      onClick={() => props.onPress(props.mark)}
    >
      {props.isPressed ? i18n._(word) : props.act}
    </Button>
  )
}

function Ownership({ own }: { own: ReturnType<typeof useReview>['own'] }) {
  if (own !== 'own' && own !== 'unknown') return null
  return (
    <Text size="sm" c="dimmed" mt={6}>
      {own === 'own' ? (
        <Trans>This is your own recording: another reviewer marks it.</Trans>
      ) : (
        <Trans>Ownership is checked by name: you or the device user has no email address here.</Trans>
      )}
    </Text>
  )
}
