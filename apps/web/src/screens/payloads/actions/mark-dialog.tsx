import { type Mark, MARK_NOTE_LIMIT, MARKS, type Payload, type PayloadMark } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Alert, Button, Group, Select, Stack, Text, Textarea } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useFailureText } from '../../../api/failure-text.ts'
import { noticeDone } from '../../../api/notices.ts'
import { reviewApi } from '../../../api/payload-api.ts'
import { useMay } from '../../../api/use-profile.ts'
import { Dialog } from '../../../ui/dialog.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { Loaded } from '../../../ui/loaded.tsx'
import { Time } from '../../../ui/time.tsx'
import { noteReview } from '../queries.ts'
import { MARK_STYLES, marksQuery, reviewSettingsQuery } from './marks.ts'

/** A mark with reason and note, and earlier marks. */
export default function MarkDialog({
  payload: { payload_reference },
  onClose,
}: {
  payload: Pick<Payload, 'payload_reference'>
  onClose: () => void
}) {
  const { t, i18n } = useLingui()
  const may = useMay()
  const failureText = useFailureText()
  const settings = useQuery(reviewSettingsQuery)
  const marks = useQuery(marksQuery(payload_reference))
  const [reason, setReason] = useState<string | null>(null)
  const [note, setNote] = useState('')
  const marking = useMutation({
    mutationFn: (mark: Mark) =>
      reviewApi.addMark({
        params: { payload_reference },
        body: { mark, ...(reason !== null && { reason }), ...(note.trim() !== '' && { note }) },
      }),
    onSuccess: ({ mark, marked_by }) => {
      noteReview(payload_reference, { mark, marked_by })
      noticeDone(t`Mark saved`)
      setNote('')
      setReason(null)
    },
    meta: { silent: true },
  })
  const reasons = settings.data?.reasons ?? []
  return (
    <Dialog title={t`Marks`} onClose={onClose} size="lg">
      <Stack gap="md">
        {may('payloads.marks:create') && marks.data?.own !== 'own' && (
          <Stack gap="xs">
            {reasons.length > 0 && (
              <Select
                label={t`Reason`}
                data={[...reasons]}
                value={reason}
                onChange={setReason}
                clearable
                comboboxProps={{ withinPortal: false }}
              />
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
                  {i18n._(MARK_STYLES[mark].word)}
                </Button>
              ))}
            </Group>
          </Stack>
        )}
        <Loaded query={marks} rows={3}>
          {({ marks: all, heard_by }) => (
            <Stack gap="sm">
              {heard_by.length > 0 && (
                <Text size="sm">
                  <Trans>Heard by {heard_by.join(', ')}</Trans>
                </Text>
              )}
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
        </Loaded>
      </Stack>
    </Dialog>
  )
}

function MarkItem({ reference, mark }: { reference: string; mark: PayloadMark }) {
  const { t, i18n } = useLingui()
  const may = useMay()
  const failureText = useFailureText()
  const [result, setResult] = useState('')
  const deciding = useMutation({
    mutationFn: () =>
      reviewApi.decideMark({
        params: { payload_reference: reference, mark_id: mark.mark_id },
        body: { result },
      }),
    onSuccess: () => noticeDone(t`Escalation closed`),
    meta: { silent: true },
  })
  const isOpen = mark.mark === 'escalated' && mark.decided_at === null
  return (
    <article>
      <Group gap={6}>
        <Icon name={MARK_STYLES[mark.mark].icon} size={15} />
        <Text size="sm" fw={600}>
          {i18n._(MARK_STYLES[mark.mark].word)}
        </Text>
        <Text size="sm" c="dimmed">
          {mark.marked_by} · <Time at={mark.marked_at} style="second" />
        </Text>
      </Group>
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
            Closed by {mark.decided_by}: {mark.result}
          </Trans>
        </Text>
      )}
      {isOpen && may('payloads.marks:decide') && (
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
      )}
    </article>
  )
}
