import { COMMENT_LIMIT, type CommentDuration, type Payload, type PayloadComment } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Alert, Button, Group, Stack, Text, Textarea } from '@mantine/core'
import { useEffect, useState } from 'react'
import { readAgain } from '../../../api/after-change.ts'
import { commentsApi } from '../../../api/payload-api.ts'
import { DiscardQuestion } from '../../../ui/dialog.tsx'
import { FormSummary, LeaveGuard } from '../../../ui/form/form-summary.tsx'
import { useForm } from '../../../ui/form/use-form.ts'
import { useReturnFocus } from '../../../ui/use-focus.ts'
import { authorName } from '../../../ui/visible.ts'
import { type Draft, endDraft, meanPart } from '../player/draft.ts'
import { positionIn } from '../player/pending-playback.ts'
import { partText } from './queries.ts'

interface Values {
  message: string
  part: CommentDuration | null
}

/**
 * Saves a new comment, or the next version of `comment`.
 * @param read the version that the author read last
 */
function useCommentForm(
  payload_reference: string,
  draft: Draft,
  comment: PayloadComment | undefined,
  read: PayloadComment | undefined,
  onSaved: (() => void) | undefined,
) {
  const { t } = useLingui()
  // The part under the cursor is no input of the author.
  const [part] = useState(comment?.comment_duration ?? draft.part)
  return useForm<Values, PayloadComment>({
    initial: { message: comment?.comment_body ?? '', part },
    labels: { message: t`Comment`, comment_duration: t`Part of the recording` },
    check: ({ message }) =>
      message.trim() === ''
        ? [{ path: 'message', code: 'required', message: '', values: { field: 'message' } }]
        : [],
    save: ({ message, part }) =>
      read === undefined
        ? commentsApi.addComment({
            params: { payload_reference },
            body: {
              message,
              ...(part && { comment_duration: part }),
              ...(draft.in_reply_to !== undefined && { in_reply_to: draft.in_reply_to }),
            },
          })
        : commentsApi.updateComment(
            {
              params: { payload_reference, comment_id: read.comment_id },
              body: { message, comment_duration: part },
            },
            { if_match: String(read.comment_version) },
          ),
    onSaved: () => {
      endDraft()
      onSaved?.()
    },
  })
}

/** Form for a comment or a new version of one. On an edit conflict the author keeps the draft, reads the other version and decides. */
export function CommentForm({
  payload,
  draft,
  comment,
  onSaved,
}: {
  payload: Payload
  draft: Draft
  comment?: PayloadComment
  /** Where no list of comments shows the new one. */
  onSaved?: () => void
}) {
  const { t } = useLingui()
  const { payload_reference } = payload
  // The version at the start of the edit, until the author accepts a newer one.
  const [read, setRead] = useState(comment)
  const form = useCommentForm(payload_reference, draft, comment, read, onSaved)
  const { element, submit, set, errorAt, field, isSaving, isConflict } = form
  const [isAsking, setAsking] = useState(false)
  useReturnFocus()
  const { part } = draft
  const isReply = draft.in_reply_to !== undefined
  useEffect(() => set({ part }), [set, part])
  useEffect(() => endDraft, [])
  useEffect(() => element.current?.querySelector('textarea')?.focus(), [element])
  useEffect(() => {
    if (isConflict) readAgain('listCommentsOfPayload', payload_reference)
  }, [isConflict, payload_reference])
  const isOvertaken =
    comment !== undefined && read !== undefined && comment.comment_version !== read.comment_version
  return (
    <form
      ref={element}
      noValidate
      aria-label={
        isReply ? t`Reply to the comment` : comment === undefined ? t`New comment` : t`Edit the comment`
      }
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <Stack gap="sm">
        <FormSummary form={form} />
        {isOvertaken && <EditedNotice comment={comment} onTake={() => setRead(comment)} />}
        <Textarea
          label={t`Comment`}
          description={t`Ctrl+Enter saves. All readers of this recording’s comments can read it.`}
          required
          autosize
          minRows={3}
          maxRows={16}
          maxLength={COMMENT_LIMIT}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit()
            if (event.key !== 'Escape') return
            // One step back: the form, not the preview around it.
            event.preventDefault()
            if (form.hasUnsaved()) setAsking(true)
            else endDraft()
          }}
          {...field('message')}
        />
        <PartFields payload_reference={payload_reference} part={part} error={errorAt('comment_duration')} />
        <Group gap="xs" justify="flex-end">
          <Button variant="default" onClick={form.leaving(endDraft)}>
            <Trans>Cancel</Trans>
          </Button>
          <Button type="submit" loading={isSaving}>
            <Trans>Save</Trans>
          </Button>
        </Group>
      </Stack>
      <LeaveGuard form={form} />
      {isAsking && <DiscardQuestion onStay={() => setAsking(false)} onLeave={form.leaving(endDraft)} />}
    </form>
  )
}

/** Another author's version, saved during this edit. */
function EditedNotice({ comment, onTake }: { comment: PayloadComment; onTake: () => void }) {
  const { t } = useLingui()
  return (
    <Alert color="orange" title={t`Current text by ${authorName(comment, 'updated_by')}:`}>
      <Text size="sm" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
        {comment.comment_body}
      </Text>
      <Button size="xs" mt="xs" variant="default" onClick={onTake}>
        <Trans>Save mine as the next version</Trans>
      </Button>
    </Alert>
  )
}

/** Part of the recording: set by buttons at the player's position, or by dragging over the waveform. */
function PartFields({
  payload_reference,
  part,
  error,
}: {
  payload_reference: string
  part: CommentDuration | null
  error: string | undefined
}) {
  const mean = (next: CommentDuration | null) => meanPart(payload_reference, next)
  const end = part === null ? 0 : part.start_time + part.duration
  const place = part === null ? '' : partText(part)
  const isHeard = positionIn(payload_reference) !== undefined
  if (!isHeard && part === null) return null
  return (
    <div>
      <Group gap="xs">
        <Text size="sm" className="tabular" aria-live="polite">
          {part === null ? <Trans>About the whole recording</Trans> : <Trans>About {place}</Trans>}
        </Text>
        {isHeard && (
          <>
            <Button
              size="compact-sm"
              variant="default"
              onClick={() => {
                const start_time = positionIn(payload_reference) ?? 0
                mean({ start_time, duration: Math.max(0, end - start_time) })
              }}
            >
              <Trans>Starts here</Trans>
            </Button>
            <Button
              size="compact-sm"
              variant="default"
              onClick={() => {
                const at = positionIn(payload_reference) ?? 0
                const start_time = Math.min(part?.start_time ?? 0, at)
                mean({ start_time, duration: at - start_time })
              }}
            >
              <Trans>Ends here</Trans>
            </Button>
          </>
        )}
        {part !== null && (
          <Button size="compact-sm" variant="subtle" onClick={() => mean(null)}>
            <Trans>Whole recording</Trans>
          </Button>
        )}
      </Group>
      {error !== undefined && (
        <Text size="sm" c="red">
          {error}
        </Text>
      )}
    </div>
  )
}
