import type { Mark, Payload } from '@custodia/contract'
import { getSeconds, isPlayed } from '@custodia/domain/can'
import type { I18n, MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { Text, Timeline } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useMay } from '../../api/use-profile.ts'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { LinkAnchor } from '../../ui/links.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { heardText } from './actions/marking.ts'
import { MARK_STYLES } from './actions/marks.ts'
import { type AuditEvent, auditEvents } from './audit-events.ts'
import { auditQuery } from './queries.ts'

/** Labels of recorded actions; others show their code. */
const STYLES: Partial<Record<string, { icon: IconName; word: MessageDescriptor }>> = {
  'payloads:read': { icon: 'eye', word: msg`Opened` },
  'payloads:play': { icon: 'play', word: msg`Played` },
  'payloads:download': { icon: 'download', word: msg`Downloaded the original` },
  'profile.exports:create': { icon: 'print', word: msg`Printed` },
  'payloads:write_off': { icon: 'x', word: msg`Written off` },
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
  'payloads.marks:withdraw': { icon: 'x', word: msg`Mark withdrawn` },
  'payloads.marks:decide': { icon: 'check', word: msg`Closed an escalation` },
  receipt: { icon: 'check', word: msg`Receipt confirmed` },
  'receipt of person': { icon: 'check', word: msg`Receipt confirmed by a person` },
}

/** What a recorded action did. */
export function actWords(action: string, i18n: I18n): string {
  const word = STYLES[action]?.word
  return word === undefined ? action : i18n._(word)
}

/** Audit timeline of a payload, newest first. Entries are never removed. */
export function AuditTimeline({
  payload: { payload_reference: reference, payload_type },
}: {
  payload: Pick<Payload, 'payload_reference' | 'payload_type'>
}) {
  const may = useMay()
  return (
    <>
      {may('activities:list') && (
        <LinkAnchor
          data-not-printed
          underline="always"
          mb="sm"
          display="inline-block"
          to="/dashboard/account/audit"
          search={{ payload_reference: reference }}
        >
          <Trans>Audit log of this recording</Trans>
        </LinkAnchor>
      )}
      <QueryResult query={useQuery(auditQuery(reference))} rows={3}>
        {(audit) => <Events events={auditEvents(audit, isPlayed(payload_type))} length={audit.length} />}
      </QueryResult>
    </>
  )
}

/** Words for the marks of an event. */
const markWords = (detail: string, i18n: I18n): string =>
  detail
    .split(' ')
    .map((mark) => (mark in MARK_STYLES ? i18n._(MARK_STYLES[mark as Mark].word) : mark))
    .join(', ')

function Events({ events, length }: { events: readonly AuditEvent[]; length: number | null }) {
  const { t, i18n } = useLingui()
  const getTitle = ({ who, action, detail }: AuditEvent): string => {
    if (action === 'receipt') return t`Receipt confirmed by ${who}`
    const title = actWords(action, i18n)
    // A print has no export that could be named.
    if (detail === null || action === 'profile.exports:create') return title
    if (action.startsWith('payloads.marks:')) return `${title}: ${markWords(detail, i18n)}`
    const code = detail.slice(-4)
    return t`${title} (export ${code})`
  }
  if (events.length === 0)
    return (
      <>
        <div data-not-printed>
          <EmptyState
            icon="shield-check"
            title={t`Nothing recorded yet`}
            description={<Trans>Playback and downloads of this recording appear here.</Trans>}
          />
        </div>
        <Text size="sm" data-print-only>{t`Nothing recorded yet`}</Text>
      </>
    )
  return (
    <Timeline bulletSize={28} lineWidth={2} active={events.length}>
      {events.map((event, index) => {
        const { who, action, time, heard, detail } = event
        const look = STYLES[action]
        return (
          <Timeline.Item
            // Two equal actions may share a second.
            key={`${time} ${who} ${action} ${index}`}
            bullet={<Icon name={look?.icon ?? 'check'} size={14} />}
            title={<span title={detail ?? undefined}>{getTitle(event)}</span>}
          >
            <Text size="sm" c="dimmed">
              {who} · <Time at={time} style="second" />
              {heard !== undefined && (
                <>
                  {' · '}
                  {heardText(getSeconds(heard), length)}
                </>
              )}
            </Text>
          </Timeline.Item>
        )
      })}
    </Timeline>
  )
}
