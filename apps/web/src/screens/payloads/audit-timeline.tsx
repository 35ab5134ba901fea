import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { Anchor, Text, Timeline } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useMay } from '../../api/use-profile.ts'
import { EmptyState } from '../../ui/states.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { Time } from '../../ui/time.tsx'
import { auditEvents } from './audit-events.ts'
import { auditQuery } from './queries.ts'

/** Labels of recorded actions; others show their code. */
const LOOKS: Partial<Record<string, { icon: IconName; word: MessageDescriptor }>> = {
  'payloads:read': { icon: 'eye', word: msg`Opened` },
  'payloads:play': { icon: 'play', word: msg`Played` },
  'payloads:download': { icon: 'download', word: msg`Downloaded the original` },
  'payloads:abandon': { icon: 'x', word: msg`Written off` },
  'payloads:restore': { icon: 'refresh', word: msg`Restored` },
  'transfers:deliver': { icon: 'external', word: msg`Delivered to the account’s storage` },
  'retention:delete': { icon: 'trash', word: msg`Deleted by retention` },
  'retention:destroy': { icon: 'trash', word: msg`Destroyed by retention` },
  'payloads.audit:read': { icon: 'shield-check', word: msg`Viewed this audit log` },
  'payloads.snippets:read': { icon: 'search', word: msg`Passage read in a search` },
  'devices.sms:read': { icon: 'messages', word: msg`Read in the conversation` },
  'payloads.comments:create': { icon: 'message', word: msg`Commented` },
  'payloads.comments:update': { icon: 'pencil', word: msg`Changed a comment` },
  'payloads.comments:close': { icon: 'archive', word: msg`Closed a comment` },
  'payloads.marks:create': { icon: 'tag', word: msg`Marked` },
  'payloads.marks:decide': { icon: 'check', word: msg`Closed an escalation` },
  receipt: { icon: 'check', word: msg`Receipt confirmed` },
  'receipt of person': { icon: 'check', word: msg`Receipt confirmed by a person` },
}

/** Audit timeline of a payload, newest first. Entries are never removed. */
export function AuditTimeline({ reference }: { reference: string }) {
  const may = useMay()
  return (
    <>
      {may('activities:list') && (
        <Anchor
          underline="always"
          mb="sm"
          display="inline-block"
          renderRoot={(rest) => (
            <Link {...rest} to="/dashboard/account/audit" search={{ payload_reference: reference }} />
          )}
        >
          <Trans>Audit log of this recording</Trans>
        </Anchor>
      )}
      <Loaded query={useQuery(auditQuery(reference))} rows={3}>
        {(audit) => <Events events={auditEvents(audit)} />}
      </Loaded>
    </>
  )
}

function Events({ events }: { events: ReturnType<typeof auditEvents> }) {
  const { t, i18n } = useLingui()
  if (events.length === 0)
    return (
      <EmptyState
        icon="shield-check"
        title={t`Nothing recorded yet`}
        description={<Trans>Playback and downloads of this recording appear here.</Trans>}
      />
    )
  return (
    <Timeline bulletSize={28} lineWidth={2} active={events.length}>
      {events.map(({ who, action, time }, index) => {
        const look = LOOKS[action]
        return (
          <Timeline.Item
            // Two equal actions may share a second.
            key={`${time} ${who} ${action} ${index}`}
            bullet={<Icon name={look?.icon ?? 'check'} size={14} />}
            title={
              action === 'receipt'
                ? t`Receipt confirmed by ${who}`
                : look === undefined
                  ? action
                  : i18n._(look.word)
            }
          >
            <Text size="sm" c="dimmed">
              {who} · <Time at={time} style="second" />
            </Text>
          </Timeline.Item>
        )
      })}
    </Timeline>
  )
}
