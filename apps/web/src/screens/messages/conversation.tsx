import { ApiProblem } from '@custodia/client'
import type { Payload } from '@custodia/contract'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Button, Card, Group, Skeleton, Stack, Text, Title } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useEffect, useLayoutEffect, useMemo, useRef } from 'react'
import { useMay } from '../../api/use-profile.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { formatTime } from '../../ui/time-format.ts'
import { listedAt } from '../../components/payloads/listed-at.ts'
import { refreshAudit, threadQuery } from '../../components/payloads/queries.ts'
import classes from './conversation.module.css'
import { inReadingOrder } from './messages.ts'
import { MessageItem } from './message-item.tsx'

/** Pages that are read by themselves to find the message one came for; further ones only on the reader's wish. */
const SEARCH_PAGES = 4

/** The conversation of a message, oldest first, with that message highlighted and in sight. */
export function Conversation({ payload, threadId }: { payload: Payload; threadId: string }) {
  const { t } = useLingui()
  const may = useMay()
  if (!may('devices.sms:read'))
    return (
      <Card>
        <EmptyState
          icon="lock"
          title={t`Permission missing`}
          description={<Trans>Reading messages needs the permission devices.sms:read.</Trans>}
        />
      </Card>
    )
  return <Thread payload={payload} threadId={threadId} />
}

function Thread({ payload, threadId }: { payload: Payload; threadId: string }) {
  const { t, i18n } = useLingui()
  const { payload_reference, device_reference } = payload
  const thread = useInfiniteQuery(threadQuery(device_reference, threadId))
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = thread
  const entries = useMemo(
    () =>
      inReadingOrder(data?.pages.map((page) => page.data) ?? [], (message) =>
        formatTime(listedAt(message), i18n.locale, undefined, 'day'),
      ),
    [data, i18n.locale],
  )
  const isFound = entries.some(({ message }) => message.payload_reference === payload_reference)
  const pages = data?.pages.length ?? 0
  const searchesOn = data !== undefined && !isFound && hasNextPage && pages < SEARCH_PAGES
  useEffect(() => {
    if (searchesOn && !isFetchingNextPage && error === null) void fetchNextPage()
  }, [searchesOn, isFetchingNextPage, error, fetchNextPage])
  // Reading is recorded in the audit of the message one came for.
  useEffect(() => {
    if (pages > 0) refreshAudit(payload_reference)
  }, [pages, payload_reference])

  const scroller = useScrollPlace(isFound, entries.length)
  const isGroup = entries.some(({ message }) => (message.party_count ?? 0) > 1)

  if (data === undefined) {
    if (error instanceof ApiProblem && error.status === 404)
      return (
        <Card>
          <EmptyState icon="messages" title={t`Data not found`} />
        </Card>
      )
    return (
      <Loaded query={thread} pending={<Waiting />}>
        {() => null}
      </Loaded>
    )
  }
  return (
    <Card padding={0}>
      <Group justify="space-between" px="md" py="sm" gap={4} className={classes.head}>
        <Title order={2} size="h3" id="conversation">
          {isGroup ? <Trans>Group conversation</Trans> : <Trans>Conversation</Trans>}
        </Title>
        <Text size="sm" c="dimmed">
          <Plural value={entries.length} one="# message loaded" other="# messages loaded" />
        </Text>
      </Group>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a box that scrolls must be reachable by keyboard */}
      <section ref={scroller} className={classes.scroller} tabIndex={0} aria-labelledby="conversation">
        <Stack gap="xs" align="center" mb="sm">
          {!isFound && !searchesOn && (
            <Text size="sm" ta="center">
              <Trans>The message you came for is further back.</Trans>
            </Text>
          )}
          {hasNextPage ? (
            <Button
              size="xs"
              variant="default"
              loading={isFetchingNextPage}
              onClick={() => void fetchNextPage()}
            >
              <Trans>Load older messages</Trans>
            </Button>
          ) : (
            <Text size="xs" c="dimmed">
              <Trans>Start of the conversation</Trans>
            </Text>
          )}
          {error !== null && <ErrorState onRetry={() => void fetchNextPage()} />}
        </Stack>
        <ol className={classes.messages}>
          {entries.map((entry) => (
            <MessageItem
              key={entry.message.payload_reference}
              entry={entry}
              isTarget={entry.message.payload_reference === payload_reference}
            />
          ))}
        </ol>
      </section>
      <Text size="xs" c="dimmed" px="md" py="xs" className={classes.foot}>
        <Trans>Reading is recorded in the audit of each message that is shown.</Trans>
      </Text>
    </Card>
  )
}

/**
 * Brings the message one came for into the middle of the box once it is there, without moving the page; keeps the
 * reader's place when older messages appear above.
 */
function useScrollPlace(isFound: boolean, count: number) {
  const scroller = useRef<HTMLElement>(null)
  const bottom = useRef(0)
  useLayoutEffect(() => {
    const box = scroller.current
    if (box === null) return
    if (bottom.current > 0) box.scrollTop = box.scrollHeight - bottom.current
  }, [count])
  useLayoutEffect(() => {
    const box = scroller.current
    const target = box?.querySelector<HTMLElement>('[aria-current="true"]')
    if (box === null || target === null || target === undefined) return
    box.scrollTop = target.offsetTop - (box.clientHeight - target.offsetHeight) / 2
  }, [isFound])
  useEffect(() => {
    const box = scroller.current
    if (box === null) return
    const remember = () => {
      bottom.current = box.scrollHeight - box.scrollTop
    }
    remember()
    box.addEventListener('scroll', remember, { passive: true })
    return () => box.removeEventListener('scroll', remember)
  }, [isFound, count])
  return scroller
}

const Waiting = () => (
  <Card aria-busy="true">
    <Stack gap="sm">
      <Skeleton h={44} w="60%" />
      <Skeleton h={44} w="45%" ml="auto" />
      <Skeleton h={72} w="55%" />
      <Skeleton h={44} w="50%" ml="auto" />
    </Stack>
  </Card>
)
