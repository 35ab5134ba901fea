import { Trans, useLingui } from '@lingui/react/macro'
import { ActionIcon, Anchor, Group, Text } from '@mantine/core'
import { useNavigate, useRouter } from '@tanstack/react-router'
import { type MouseEvent, useEffect } from 'react'
import { keepSeen } from '../../components/lists/list-memory.ts'
import { canonical } from '../../components/lists/list-search.ts'
import { Hint } from '../../ui/hint.tsx'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { keepKeysForPage } from '../../ui/keep-keys.ts'
import { totalText } from '../../ui/text.ts'
import { useSingleKeys } from '../../ui/use-keys.ts'
import { isListening } from './player/listener.ts'
import { requestPlayback } from './player/pending-playback.ts'
import { pageOfPayload } from './queries.ts'
import { headedFor, placeInQueue, type QueuePlace, reviewQueue, useQueuePlace } from './review-queue.ts'
import { getList, type ScreenService, SERVICES, WORDS_PAGE } from './services.ts'

/** Remaining rows at which the next page is fetched, so that the user does not wait. */
const NEAR_END = 5

/** Steps to the neighbours in the list of the user, across all pages. */
export function useQueueSteps(reference: string, service: ScreenService) {
  const navigate = useNavigate()
  const router = useRouter()
  const place = useQueuePlace(reference)
  // Two quick presses move by two.
  const going = () => headedFor(router.history, reference)
  const go = (payload_reference: string | undefined) => {
    if (payload_reference === undefined) return
    if (isListening(reference)) requestPlayback(payload_reference)
    // Back in the browser leads to the list at once.
    void navigate({ ...pageOfPayload(payload_reference, service), replace: true, state: true })
    // Further steps need not wait.
    keepKeysForPage(router, undefined, 'nb')
  }
  const readAndGo = async () => {
    const from = placeInQueue(going())
    if (from?.next === undefined && from?.hasNext === true) await readMore(going())
    go(placeInQueue(going())?.next)
  }
  const goOn = () => void readAndGo()
  const goBack = () => go(placeInQueue(going())?.previous)
  return { place, goOn, goBack }
}

/** Back to the list (keys u and Esc), and to its neighbours (keys b and n) across all pages. */
export function QueueButtons({
  reference,
  service,
  hasArrowKeys,
}: {
  reference: string
  service: ScreenService
  hasArrowKeys: boolean
}) {
  const navigate = useNavigate()
  const router = useRouter()
  const { place, goOn, goBack } = useQueueSteps(reference, service)
  const isNearEnd = place?.hasNext === true && place.ahead < NEAR_END
  useEffect(() => {
    if (isNearEnd) void readMore(reference)
  }, [isNearEnd, reference])
  useEffect(() => noteSeen(reference), [reference])

  const back = () => {
    const { pathname } = router.latestLocation
    if (place === undefined) void navigate(getList(service, {}))
    // The browser's Back then leads past the list.
    else if (router.latestLocation.state.isFromList === true) router.history.back()
    else router.history.push(place.listUrl)
    // A second press must not lead back further.
    keepKeysForPage(router, () => router.latestLocation.pathname !== pathname)
  }
  useSingleKeys({
    n: goOn,
    b: goBack,
    u: back,
    Escape: back,
    ...(hasArrowKeys && { ArrowRight: goOn, ArrowLeft: goBack }),
  })
  return (
    <Group gap="sm" mb="xs" justify="space-between" data-not-printed>
      <BackToList service={service} listUrl={place?.listUrl} onBack={back} />
      {place !== undefined && <Steps place={place} onNext={goOn} onPrevious={goBack} />}
    </Group>
  )
}

/** Position in the list, with buttons to its neighbours. */
export function Steps(props: { place: QueuePlace; onNext: () => void; onPrevious: () => void }) {
  const { t, i18n } = useLingui()
  const { place } = props
  const position = i18n.number(place.position)
  const total = totalText(place.total, (count) => i18n.number(count))
  return (
    <Group gap={4} wrap="nowrap">
      <Text size="sm" c="dimmed" className="tabular" mr={4}>
        <Trans>
          {position} of {total}
        </Trans>
      </Text>
      <Step
        label={t`Previous (B)`}
        icon="chevron-left"
        isEnd={place.previous === undefined}
        onClick={props.onPrevious}
      />
      <Step label={t`Next (N)`} icon="chevron-right" isEnd={!place.hasNext} onClick={props.onNext} />
    </Group>
  )
}

function Step(props: { label: string; icon: IconName; isEnd: boolean; onClick: () => void }) {
  return (
    <Hint label={props.label}>
      <ActionIcon
        size={32}
        variant="default"
        aria-label={props.label}
        // Not `disabled`: the button keeps the focus that led to the end.
        {...(props.isEnd && { 'data-disabled': true, 'aria-disabled': true })}
        onClick={props.onClick}
      >
        <Icon name={props.icon} size={16} />
      </ActionIcon>
    </Hint>
  )
}

/** Fetches the next page. Another press retries. */
async function readMore(reference: string): Promise<void> {
  const { readOn } = await import('./queue-more.ts')
  await readOn(reference).catch(() => undefined)
}

/** Sets the list's row for the return. */
function noteSeen(reference: string): void {
  const queue = reviewQueue()
  const place = placeInQueue(reference)
  if (queue === undefined || place === undefined) return
  const { service, isOfConversations, search, listUrl } = queue
  if (!listUrl.includes(service === 'words' ? WORDS_PAGE : SERVICES[service].list)) return
  const name = queue.name ?? (isOfConversations === true ? 'conversations' : service)
  keepSeen(name, canonical(search), { key: reference, index: place.position - 1 })
}

function BackToList(props: { service: ScreenService; listUrl: string | undefined; onBack: () => void }) {
  const { t, i18n } = useLingui()
  const router = useRouter()
  const { service, listUrl } = props
  const onClick = (event: MouseEvent) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    props.onBack()
  }
  // The list's address, with filters and language prefix.
  return (
    <Anchor
      size="sm"
      href={listUrl ?? router.buildLocation(getList(service, {})).publicHref}
      onClick={onClick}
    >
      <Group component="span" gap={4} wrap="nowrap">
        <Icon name="chevron-left" size={14} />
        {listUrl?.includes(WORDS_PAGE)
          ? t({ context: 'page', message: 'Search' })
          : listUrl?.endsWith('/dashboard')
            ? t`Home`
            : i18n._(SERVICES[service].title)}
      </Group>
    </Anchor>
  )
}
