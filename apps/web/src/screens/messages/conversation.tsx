import { ApiProblem } from '@custodia/client'
import type { Payload } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Card, Group, Skeleton, Stack, Text } from '@mantine/core'
import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useMay } from '../../api/use-profile.ts'
import { resolveDate } from '../../components/lists/date-range.ts'
import { Icon } from '../../ui/icon.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { MessageLink } from '../payloads/facts-processing.tsx'
import { ObstaclePanel } from '../payloads/obstacle-panel.tsx'
import { PayloadDetail } from '../payloads/payload-detail.tsx'
import { listedAt } from '../payloads/payload-fields.ts'
import { ThreadBox, useThread } from './thread-box.tsx'
import classes from './conversation.module.css'

/** Conversation of a message, oldest first, scrolled to that message or its original; `?at=` scrolls to a day instead. */
function Conversation({ payload, threadId }: { payload: Payload; threadId: string }) {
  const { t } = useLingui()
  const may = useMay()
  const { at } = useSearch({ strict: false }) as { at?: string }
  if (!may('devices.sms:read'))
    return (
      <Card>
        <EmptyState
          icon="lock"
          title={t`Permission missing`}
          description={<Trans>You need the permission devices.sms:read.</Trans>}
        />
      </Card>
    )
  const day = at === undefined ? undefined : resolveDate(at, 'start', 0)
  return (
    <Stack gap="sm">
      {payload.copy_of !== undefined && <DuplicateNotice first={payload.copy_of} />}
      <Thread
        payload={payload}
        threadId={threadId}
        at={day === undefined ? undefined : at}
        anchor={day ?? listedAt(payload)}
      />
    </Stack>
  )
}

/** Explains why the conversation lacks the requested message. */
const DuplicateNotice = ({ first }: { first: string }) => (
  <Card padding="sm" className={classes.result}>
    <Group gap="xs" wrap="nowrap" align="flex-start">
      <Icon name="info" size={18} />
      <Text size="sm">
        <Trans>
          This message is a duplicate. The conversation shows only the first,{' '}
          <MessageLink reference={first} />.
        </Trans>
      </Text>
    </Group>
  </Card>
)

function Thread(props: { payload: Payload; threadId: string; at: string | undefined; anchor: number }) {
  const { t } = useLingui()
  const { payload, threadId, at, anchor } = props
  const { payload_reference, device_reference } = payload
  const thread = useThread({ device_reference, thread_id: threadId, anchor }, payload_reference)
  const { older, newer } = thread
  // Jumping to a day moves the focus there.
  const [jumpedTo, setJumpedTo] = useState<string>()
  if (older.data !== undefined && newer.data !== undefined)
    return (
      <ThreadBox
        {...thread}
        payload_reference={payload.copy_of ?? payload_reference}
        at={at}
        anchor={anchor}
        isFocused={at !== undefined && at === jumpedTo}
        onJump={setJumpedTo}
      />
    )
  const failed = older.error === null ? newer : older
  if (failed.error instanceof ApiProblem && failed.error.status === 404)
    return (
      <Card>
        <EmptyState icon="messages" title={t`It does not exist, or your roles and groups do not allow it.`} />
      </Card>
    )
  return (
    <QueryResult query={failed} pending={<ConversationPending />}>
      {() => <ConversationPending />}
    </QueryResult>
  )
}

/** As high as the loaded conversation. */
const ConversationPending = () => (
  <Card padding={0} aria-busy="true">
    <Group px="md" py="sm" className={classes.headPending}>
      <Skeleton h={24} w={160} />
    </Group>
    <Stack gap="sm" className={classes.scroller}>
      <Skeleton h={44} w="60%" />
      <Skeleton h={44} w="45%" ml="auto" />
      <Skeleton h={72} w="55%" />
      <Skeleton h={44} w="50%" ml="auto" />
    </Stack>
    <Group px="md" py="xs" className={classes.foot}>
      <Skeleton h={16} w={240} maw="100%" />
    </Group>
  </Card>
)

/** Page of a message: its conversation. */
export function MessageDetail({ reference }: { reference: string }) {
  return (
    <PayloadDetail
      key={reference}
      reference={reference}
      service="messages"
      content={(payload, obstacle) =>
        payload.thread_id === undefined || obstacle === 'type_not_authorised' ? (
          <ObstaclePanel payload={payload} obstacle={obstacle ?? 'on_its_way'} />
        ) : (
          <Conversation payload={payload} threadId={payload.thread_id} />
        )
      }
    />
  )
}
