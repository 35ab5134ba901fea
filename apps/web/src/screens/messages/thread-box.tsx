import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Anchor, Button, Card, Group, Stack, Text, Title } from '@mantine/core'
import { Link, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useEffect } from 'react'
import { listedAt } from '../payloads/listed-at.ts'
import { ErrorState } from '../../ui/error-state.tsx'
import { formatTime, viewerZone } from '../../ui/time-format.ts'
import classes from './conversation.module.css'
import { JumpToDate } from './jump-to-date.tsx'
import { MessageItem } from './message-item.tsx'
import { useScrollPlace } from './use-scroll-place.ts'
import type { useThread } from './use-thread.ts'

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
  const start = at === undefined ? payload_reference : startOf(entries, anchor)
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
        <Text size="sm" c="dimmed">
          <Plural value={entries.length} one="# message loaded" other="# messages loaded" />
        </Text>
        <JumpToDate key={at} at={at} onJump={jump} />
      </Group>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a box that scrolls must be reachable by keyboard */}
      <section ref={scroller} className={classes.scroller} tabIndex={0} aria-labelledby="conversation">
        <Stack gap="xs" align="center" mb="sm">
          <End query={older} more={<Trans>Load older messages</Trans>}>
            <Trans>Start of the conversation</Trans>
          </End>
        </Stack>
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
          {start === undefined && <NoneSince anchor={anchor} />}
          {newer.hasNextPage && (
            <End query={newer} more={<Trans>Load newer messages</Trans>}>
              {null}
            </End>
          )}
        </Stack>
      </section>
      <Group justify="space-between" px="md" py="xs" gap={8} className={classes.foot}>
        <Text size="xs" c="dimmed">
          <Trans>The audit log records each message shown.</Trans>
        </Text>
        {at !== undefined && (
          <Anchor
            size="xs"
            underline="always"
            renderRoot={(props) => (
              <Link
                {...props}
                to="/dashboard/services/messages/$payload_reference"
                params={{ payload_reference }}
              />
            )}
          >
            <Trans>Back to the message</Trans>
          </Anchor>
        )}
      </Group>
    </Card>
  )
}

/** First message from a time on. */
const startOf = (entries: Props['entries'], anchor: number): string | undefined =>
  entries.find(({ message }) => listedAt(message) >= anchor)?.message.payload_reference

function NoneSince({ anchor }: { anchor: number }) {
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
