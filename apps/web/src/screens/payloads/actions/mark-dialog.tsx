import {
  type Listener,
  type Mark,
  MARK_NOTE_LIMIT,
  MARKS,
  type Payload,
  type PayloadMark,
} from '@custodia/contract'
import { heardShare, getSeconds } from '@custodia/domain/can'
import { Trans, useLingui } from '@lingui/react/macro'
import { Alert, Button, Group, Select, Stack, Text, Textarea, Title } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { sentWhenReachable } from '../../../api/connection.ts'
import { useFailureText } from '../../../api/failure-text.ts'
import { noticeDone } from '../../../api/notices.ts'
import { reviewApi } from '../../../api/payload-api.ts'
import { useMay, useProfile } from '../../../api/use-profile.ts'
import { Dialog } from '../../../ui/dialog.tsx'
import { useUnsaved } from '../../../ui/form/use-unsaved.ts'
import { Icon } from '../../../ui/icon.tsx'
import { QueryResult } from '../../../ui/query-result.tsx'
import { formatDuration } from '../../../ui/time-format.ts'
import { Time } from '../../../ui/time.tsx'
import { authorName } from '../../../ui/visible.ts'
import { heardText, markOne, withdraw } from './marking.ts'
import { MARK_STYLES, marksQuery, reviewSettingsQuery } from './marks.ts'

/** A mark with reason and note, who listened, and earlier marks. */
export default function MarkDialog({
  payload: { payload_reference },
  onClose,
}: {
  payload: Pick<Payload, 'payload_reference'>
  onClose: () => void
}) {
  const { t } = useLingui()
  const may = useMay()
  const marks = useQuery(marksQuery(payload_reference))
  return (
    <Dialog title={t`History and listeners`} onClose={onClose} size="lg">
      <Stack>
        {may('payloads.marks:create') && marks.data?.own !== 'own' && (
          <MarkForm payload_reference={payload_reference} />
        )}
        <QueryResult query={marks} rows={3}>
          {({ marks: all, listeners, length }) => (
            <Stack gap="sm">
              <Listeners listeners={listeners} length={length} />
              <Title order={3} size="h5">
                <Trans>Marks</Trans>
              </Title>
              {all.length === 0 && (
                <Text size="sm" c="dimmed">
                  <Trans>Not marked</Trans>
                </Text>
              )}
              {all.map((mark) => (
                <MarkItem key={mark.mark_id} reference={payload_reference} mark={mark} />
              ))}
            </Stack>
          )}
        </QueryResult>
      </Stack>
    </Dialog>
  )
}

/** A mark with reason and note. */
function MarkForm({ payload_reference }: Pick<Payload, 'payload_reference'>) {
  const { t, i18n } = useLingui()
  const failureText = useFailureText()
  const settings = useQuery(reviewSettingsQuery)
  const [reason, setReason] = useState<string | null>(null)
  const [note, setNote] = useState('')
  const marking = useMutation({
    ...sentWhenReachable((mark: Mark) =>
      markOne(payload_reference, mark, {
        ...(reason !== null && { reason }),
        ...(note.trim() !== '' && { note }),
      }),
    ),
    onSuccess: () => {
      setNote('')
      setReason(null)
    },
    meta: { silent: true },
  })
  useUnsaved(note !== '' || reason !== null, marking.isPending)
  const reasons = settings.data?.reasons ?? []
  return (
    <Stack gap="xs">
      {reasons.length > 0 && (
        <Select label={t`Reason`} data={[...reasons]} value={reason} onChange={setReason} clearable />
      )}
      <Textarea
        label={t`Note`}
        autosize
        minRows={2}
        maxLength={MARK_NOTE_LIMIT}
        value={note}
        onChange={(event) => setNote(event.currentTarget.value)}
      />
      {marking.error !== null && (
        <Alert color="red" role="alert" icon={<Icon name="alert-circle" />}>
          {failureText(marking.error)}
        </Alert>
      )}
      <Group gap={6}>
        {MARKS.map((mark) => (
          <Button
            key={mark}
            size="xs"
            variant="default"
            loading={marking.isPending && marking.variables === mark}
            leftSection={<Icon name={MARK_STYLES[mark].icon} size={14} />}
            onClick={() => marking.mutate(mark)}
          >
            {i18n._(MARK_STYLES[mark].act)}
          </Button>
        ))}
      </Group>
    </Stack>
  )
}

/** Who opened or heard the recording: `bob · 25 Nov 2026, 14:02 · 0:00–0:38, 95 %`. */
function Listeners({ listeners, length }: { listeners: readonly Listener[]; length: number | null }) {
  const { t } = useLingui()
  return (
    <>
      <Title order={3} size="h5">
        <Trans>Who listened</Trans>
      </Title>
      {listeners.length === 0 && (
        <Text size="sm" c="dimmed">
          <Trans>No listeners yet</Trans>
        </Text>
      )}
      {listeners.length > 0 && (
        <ul aria-label={t`Who listened`} style={{ margin: 0, paddingLeft: 18 }}>
          {listeners.map((listener) => (
            <Text component="li" size="sm" className="tabular" key={listener.heard_by}>
              {authorName(listener, 'heard_by')} · <Time at={listener.last_at} style="minute" />
              <PlayedText parts={listener.parts} length={length} />
            </Text>
          ))}
        </ul>
      )}
    </>
  )
}

/** Parts that are listed; more are counted. */
const LISTED = 5

function PlayedText({ parts, length }: { parts: Listener['parts']; length: number | null }) {
  const { t } = useLingui()
  if (parts === undefined) return null
  const shown = parts
    .slice(0, LISTED)
    .map(({ from, to }) => `${formatDuration(Math.floor(from))}–${formatDuration(Math.round(to))}`)
    .join(', ')
  const hidden = parts.length - LISTED
  const share = heardShare(getSeconds(parts), length)
  return (
    <>
      {' · '}
      {shown}
      {hidden > 0 && ` ${t`and ${hidden} more`}`}
      {share !== undefined && `, ${share} %`}
    </>
  )
}

function MarkItem({ reference, mark }: { reference: string; mark: PayloadMark }) {
  const { i18n } = useLingui()
  const may = useMay()
  const { user_reference } = useProfile()
  const heard = heardText(mark.heard_seconds, mark.length)
  const isWithdrawn = mark.withdrawn_at !== null
  const isOpen = mark.mark === 'escalated' && mark.decided_at === null && !isWithdrawn
  const isOwn = mark.marked_by === user_reference && mark.decided_at === null && !isWithdrawn
  return (
    <article>
      <Group gap={6}>
        <Icon name={MARK_STYLES[mark.mark].icon} size={15} />
        <Text size="sm" fw={600} td={isWithdrawn ? 'line-through' : undefined}>
          {i18n._(MARK_STYLES[mark.mark].word)}
        </Text>
        <Text size="sm" c="dimmed">
          {authorName(mark, 'marked_by')} · <Time at={mark.marked_at} style="second" />
          {heard !== undefined && ` · ${heard}`}
        </Text>
        {isOwn && may('payloads.marks:withdraw') && (
          <Button size="compact-xs" variant="subtle" onClick={() => void withdraw([mark.mark_id])}>
            <Trans>Withdraw</Trans>
          </Button>
        )}
      </Group>
      {mark.withdrawn_at !== null && (
        <Text size="sm" c="dimmed">
          <Trans>
            Withdrawn <Time at={mark.withdrawn_at} style="second" />
          </Trans>
        </Text>
      )}
      {mark.reason !== null && (
        <Text size="sm">
          <Trans>Reason: {mark.reason}</Trans>
        </Text>
      )}
      {mark.note !== null && (
        <Text size="sm" style={{ whiteSpace: 'pre-wrap' }}>
          {mark.note}
        </Text>
      )}
      {mark.result !== null && (
        <Text size="sm">
          <Trans>
            Closed by {authorName(mark, 'decided_by')}: {mark.result}
          </Trans>
        </Text>
      )}
      {isOpen && may('payloads.marks:decide') && <Decision reference={reference} mark_id={mark.mark_id} />}
    </article>
  )
}

/** Closes an escalation with a result. */
function Decision({ reference, mark_id }: { reference: string; mark_id: string }) {
  const { t } = useLingui()
  const failureText = useFailureText()
  const [result, setResult] = useState('')
  const deciding = useMutation({
    ...sentWhenReachable(() =>
      reviewApi.decideMark({ params: { payload_reference: reference, mark_id }, body: { result } }),
    ),
    onSuccess: () => noticeDone(t`Escalation closed`),
    meta: { silent: true },
  })
  return (
    <Group gap={6} align="end" mt={4}>
      <Textarea
        label={t`Result`}
        autosize
        maxLength={MARK_NOTE_LIMIT}
        value={result}
        onChange={(event) => setResult(event.currentTarget.value)}
        style={{ flex: 1 }}
        error={deciding.error === null ? undefined : failureText(deciding.error)}
      />
      <Button
        size="xs"
        disabled={result.trim() === ''}
        loading={deciding.isPending}
        onClick={() => deciding.mutate()}
      >
        <Trans>Close with this result</Trans>
      </Button>
    </Group>
  )
}
