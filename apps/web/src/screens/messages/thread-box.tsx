import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Button, Card, Group, Stack, Text, TextInput, Title } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState, useMemo } from 'react'
import { LinkAnchor } from '../../ui/links.tsx'
import { ErrorState } from '../../ui/states.tsx'
import { formatTime, viewerZone } from '../../ui/time-format.ts'
import { listedAt } from '../payloads/payload-fields.ts'
import { noteHeard, threadQuery } from '../payloads/queries.ts'
import { MessageItem } from './message-item.tsx'
import { inReadingOrder } from './messages.ts'
import classes from './conversation.module.css'

interface Props extends ReturnType<typeof useThread> {
  payload_reference: string
  /** Day in the address. */
  at: string | undefined
  /** Start of the read, in epoch seconds. */
  anchor: number
  /** The user jumped here: the box takes over the focus. */
  isFocused: boolean
  onJump: (day: string) => void
}

/** Loaded messages of a conversation in a scrolling box. */
export function ThreadBox({
  older,
  newer,
  entries,
  payload_reference,
  at,
  anchor,
  isFocused,
  onJump,
}: Props) {
  const navigate = useNavigate()
  const isGroup = entries.some(({ message }) => (message.party_count ?? 0) > 1)
  const start = at === undefined ? payload_reference : getStart(entries, anchor)
  const first = entries[0]?.message.payload_reference
  const scroller = useScrollPlace(start, first, entries.length)
  const jump = (day: string) => {
    onJump(day)
    void navigate({
      to: '/dashboard/services/messages/$payload_reference',
      params: { payload_reference },
      search: { at: day },
    })
  }
  useEffect(() => {
    if (isFocused) scroller.current?.focus({ preventScroll: true })
  }, [isFocused, scroller])
  return (
    <Card padding={0}>
      <Group justify="space-between" px="md" py="sm" gap={8} className={classes.head}>
        <Title order={2} size="h3" id="conversation">
          {isGroup ? <Trans>Group conversation</Trans> : <Trans>Conversation</Trans>}
        </Title>
        <Text size="sm" c="dimmed" data-not-printed>
          <Plural value={entries.length} one="# message loaded" other="# messages loaded" />
        </Text>
        <JumpToDate key={at} at={at} onJump={jump} />
      </Group>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a box that scrolls must be reachable by keyboard */}
      <section ref={scroller} className={classes.scroller} tabIndex={0} aria-labelledby="conversation">
        <OlderMessages older={older} />
        <ol className={classes.messages}>
          {entries.map((entry) => (
            <MessageItem
              key={entry.message.payload_reference}
              entry={entry}
              isStart={entry.message.payload_reference === start}
              isTarget={entry.message.payload_reference === payload_reference}
            />
          ))}
        </ol>
        <Stack gap="xs" align="center" mt="sm">
          {start === undefined && <NoMessagesSince anchor={anchor} />}
          {newer.hasNextPage && (
            <Text size="sm" data-print-only>
              <Trans>The conversation has newer messages that are not part of this document.</Trans>
            </Text>
          )}
          {newer.hasNextPage && (
            <End query={newer} more={<Trans>Load newer messages</Trans>}>
              {null}
            </End>
          )}
        </Stack>
      </section>
      <Foot payload_reference={payload_reference} at={at} />
    </Card>
  )
}

function OlderMessages({ older }: Pick<Props, 'older'>) {
  return (
    <Stack gap="xs" align="center" mb="sm">
      {older.hasNextPage && (
        <Text size="sm" data-print-only>
          <Trans>The conversation has older messages that are not part of this document.</Trans>
        </Text>
      )}
      <End query={older} more={<Trans>Load older messages</Trans>}>
        <Trans>Start of the conversation</Trans>
      </End>
    </Stack>
  )
}

function Foot({ payload_reference, at }: Pick<Props, 'payload_reference' | 'at'>) {
  return (
    <Group justify="space-between" px="md" py="xs" gap={8} className={classes.foot} data-not-printed>
      <Text size="xs" c="dimmed">
        <Trans>The audit log records each message shown.</Trans>
      </Text>
      {at !== undefined && (
        <LinkAnchor
          size="xs"
          underline="always"
          to="/dashboard/services/messages/$payload_reference"
          params={{ payload_reference }}
        >
          <Trans>Back to the message</Trans>
        </LinkAnchor>
      )}
    </Group>
  )
}

/** First message from a time on. */
const getStart = (entries: Props['entries'], anchor: number): string | undefined =>
  entries.find(({ message }) => listedAt(message) >= anchor)?.message.payload_reference

function NoMessagesSince({ anchor }: { anchor: number }) {
  const { i18n } = useLingui()
  const day = formatTime(anchor, i18n.locale, viewerZone(), 'day')
  return (
    <Text size="sm" ta="center">
      <Trans>No messages since {day}.</Trans>
    </Text>
  )
}

/** End of the loaded messages: a button for more, or the end. */
function End(props: { query: Props['older']; more: ReactNode; children: ReactNode }) {
  const { query, more, children } = props
  const { hasNextPage, isFetchingNextPage, fetchNextPage, error } = query
  return (
    <>
      {hasNextPage ? (
        <Button size="xs" variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {more}
        </Button>
      ) : (
        <Text size="xs" c="dimmed">
          {children}
        </Text>
      )}
      {error !== null && <ErrorState onRetry={() => void fetchNextPage()} />}
    </>
  )
}

/** Jumps to a day: typed or chosen, then Enter or the button. */
function JumpToDate({ at, onJump }: { at: string | undefined; onJump: (day: string) => void }) {
  const { t } = useLingui()
  const [day, setDay] = useState(at ?? '')
  return (
    <Group
      component="form"
      gap={6}
      wrap="nowrap"
      onSubmit={(event) => {
        event.preventDefault()
        if (day !== '') onJump(day)
      }}
    >
      <TextInput
        type="date"
        size="xs"
        aria-label={t`Date`}
        value={day}
        onChange={(event) => setDay(event.currentTarget.value)}
      />
      <Button type="submit" size="xs" variant="default" disabled={day === ''}>
        <Trans>Go to date</Trans>
      </Button>
    </Group>
  )
}

/**
 * Scrolls the box to the start entry without moving the page, and keeps the position when older messages load.
 * @param start key of that entry: centred when current, else at the top; undefined: the end
 * @param first key of the first entry
 * @param count of entries
 */
function useScrollPlace(start: string | undefined, first: string | undefined, count: number) {
  const scroller = useRef<HTMLElement>(null)
  const before = useRef({ first, bottom: 0 })
  useLayoutEffect(() => {
    const box = scroller.current
    if (box === null) return
    if (before.current.first !== undefined && before.current.first !== first)
      box.scrollTop = box.scrollHeight - before.current.bottom
    before.current = { first, bottom: box.scrollHeight - box.scrollTop }
  }, [first, count])
  useLayoutEffect(() => {
    const box = scroller.current
    if (box === null) return
    const entry = box.querySelector<HTMLElement>('[data-start]')
    if (entry === null) box.scrollTop = box.scrollHeight
    else {
      const above = entry.ariaCurrent === 'true' ? (box.clientHeight - entry.offsetHeight) / 2 : 0
      box.scrollTop = entry.offsetTop - above
    }
    before.current.bottom = box.scrollHeight - box.scrollTop
  }, [start])
  useEffect(() => {
    const box = scroller.current
    if (box === null) return
    const cacheEntry = () => {
      before.current.bottom = box.scrollHeight - box.scrollTop
    }
    box.addEventListener('scroll', cacheEntry, { passive: true })
    return () => box.removeEventListener('scroll', cacheEntry)
  }, [])
  return scroller
}

/**
 * Conversation around a time: earlier and later messages, loaded by page on demand.
 * @param anchor epoch seconds
 * @param payload_reference the page's message: its audit is refetched after each read
 */
export function useThread(
  thread: { device_reference: string; thread_id: string; anchor: number },
  payload_reference: string,
) {
  const { i18n } = useLingui()
  const older = useInfiniteQuery(threadQuery(thread, 'older'))
  const newer = useInfiniteQuery(threadQuery(thread, 'newer'))
  const pages = [older, newer].reduce((sum, { data }) => sum + (data?.pages.length ?? 0), 0)
  useEffect(() => {
    if (pages > 0) noteHeard(payload_reference)
  }, [pages, payload_reference])
  const entries = useMemo(
    () =>
      inReadingOrder(
        [...(older.data?.pages ?? []), ...(newer.data?.pages ?? [])].map(({ data }) => data),
        (message) => formatTime(listedAt(message), i18n.locale, undefined, 'day'),
      ),
    [older.data, newer.data, i18n.locale],
  )
  return { older, newer, entries }
}
