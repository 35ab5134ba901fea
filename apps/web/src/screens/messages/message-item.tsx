import type { ThreadMessage } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Badge, Button, Group, Text, VisuallyHidden } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useMay } from '../../api/use-profile.ts'
import { MarkedText } from '../../components/marked-text.tsx'
import { Icon } from '../../ui/icon.tsx'
import { LinkAnchor } from '../../ui/links.tsx'
import { formatTime, viewerZone } from '../../ui/time-format.ts'
import { visible } from '../../ui/visible.ts'
import { askDataAddress, downloadData } from '../payloads/data-address.ts'
import { formatSize } from '../payloads/formats.ts'
import { failurePhrase } from '../payloads/obstacle-panel.tsx'
import { partyText } from '../payloads/party-text.ts'
import { PAYLOAD_TYPE_STYLES, StateBadge } from '../payloads/payload-badges.tsx'
import { Flags } from '../payloads/payload-detail.tsx'
import { refreshAudit, refreshAuditSoon } from '../payloads/queries.ts'
import { noticeDataFailure, REFUSALS } from '../payloads/refusals.ts'
import type { Author, Entry } from './messages.ts'
import classes from './conversation.module.css'

/** Image types that every browser decodes; no svg, which may carry scripts. */
const PICTURES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif']

/** Attachment of a message. Loads on demand only, because each read is audited. */
function Attachment({
  reference,
  attachment: { name, content_type, size, part },
}: {
  reference: string
  attachment: NonNullable<ThreadMessage['attachments']>[number]
}) {
  const { t, i18n } = useLingui()
  const may = useMay()
  const [isBroken, setBroken] = useState(false)
  const failing = { onError: noticeDataFailure, meta: { silent: true } }
  const show = useMutation({ mutationFn: () => askDataAddress(reference, 'play', part), ...failing })
  const download = useMutation({
    mutationFn: () => downloadData(reference, part),
    onSuccess: () => refreshAuditSoon(reference),
    ...failing,
  })
  const shownName = name ?? t`Attachment ${part + 1}`
  const isPicture = PICTURES.includes(content_type.split(';')[0]?.trim().toLowerCase() ?? '')

  return (
    <div className={classes.attachment}>
      {show.data !== undefined && !isBroken && (
        <img
          src={show.data}
          alt={shownName}
          className={classes.picture}
          onLoad={() => refreshAudit(reference)}
          onError={() => setBroken(true)}
        />
      )}
      <Group gap="2px 8px">
        <Icon name={isPicture ? 'image' : 'archive'} size={16} />
        <Text span size="sm" className={classes.name}>
          {visible(shownName)}
        </Text>
        <Text span size="xs" className={classes.quiet}>
          {content_type} · {formatSize(size, i18n)}
        </Text>
      </Group>
      {isBroken && (
        <Text size="sm">
          <Trans>The picture cannot be shown. Download it instead.</Trans>
        </Text>
      )}
      <Group gap={6}>
        {isPicture && show.data === undefined && may('payloads:play') && (
          <Button size="compact-sm" variant="default" loading={show.isPending} onClick={() => show.mutate()}>
            <Trans>Show picture</Trans>
          </Button>
        )}
        {may('payloads:download') && (
          <Button
            size="compact-sm"
            variant="default"
            loading={download.isPending}
            onClick={() => download.mutate()}
          >
            <Trans>Download</Trans>
          </Button>
        )}
      </Group>
    </div>
  )
}

/** One message: incoming left, outgoing right, copies centred. */
export function MessageItem(props: {
  entry: Entry
  /** Initial scroll target. */
  isStart: boolean
  /** The page's own message. */
  isTarget: boolean
}) {
  const { entry, isStart, isTarget } = props
  const { i18n } = useLingui()
  const { message, author, opensDay, opensRun } = entry
  const name = <AuthorName author={author} />
  return (
    <li
      className={classes.item}
      data-direction={message.direction ?? 'I'}
      data-start={isStart || undefined}
      {...(isTarget ? { 'aria-current': 'true' as const } : {})}
    >
      {opensDay && (
        <Text className={classes.day} component="p">
          <time dateTime={new Date(message.payload_time * 1000).toISOString()}>
            {formatTime(message.payload_time, i18n.locale, viewerZone(), 'day')}
          </time>
        </Text>
      )}
      <div className={classes.bubble}>
        {opensRun ? (
          <Text size="xs" fw={650} component="p" className={classes.author}>
            {name}
          </Text>
        ) : (
          <VisuallyHidden>{name}</VisuallyHidden>
        )}
        <Body message={message} />
        {message.attachments?.map((attachment) => (
          <Attachment key={attachment.part} reference={message.payload_reference} attachment={attachment} />
        ))}
        <Meta message={message} isTarget={isTarget} />
      </div>
    </li>
  )
}

/** Plain text node: no links, no markup. */
function Body({ message }: { message: ThreadMessage }) {
  const { i18n } = useLingui()
  if (message.status !== 'Ok')
    return (
      <Text size="sm" fs="italic">
        {message.failure === undefined
          ? i18n._(REFUSALS[message.status])
          : failurePhrase(message.failure, i18n)}
      </Text>
    )
  if (message.text === undefined || message.text === '') {
    if ((message.attachments?.length ?? 0) > 0) return null
    return (
      <Text size="sm" fs="italic">
        <Trans>Message without text</Trans>
      </Text>
    )
  }
  if (message.is_shortened) return <LongText message={message} />
  return (
    <p className={classes.text}>
      <MarkedText text={message.text} />
    </p>
  )
}

function Meta({ message, isTarget }: { message: ThreadMessage; isTarget: boolean }) {
  const { t, i18n } = useLingui()
  const { payload_time, payload_state, payload_type, payload_reference, direction } = message
  const at = formatTime(payload_time, i18n.locale, viewerZone(), 'clock')
  const moment = <time dateTime={new Date(payload_time * 1000).toISOString()}>{at}</time>
  return (
    <Group gap={6} mt={4} className={classes.meta}>
      {isTarget ? (
        <Text span size="xs" fw={650}>
          {moment}
        </Text>
      ) : (
        <LinkAnchor
          size="xs"
          c="inherit"
          to="/dashboard/services/messages/$payload_reference"
          params={{ payload_reference }}
          aria-label={t`Open the message of ${at}`}
        >
          {moment}
        </LinkAnchor>
      )}
      <Text span size="xs">
        {i18n._(PAYLOAD_TYPE_STYLES[payload_type].word)}
      </Text>
      {direction === 'CC' && (
        <Badge size="sm" color="gray">
          <Trans>in copy</Trans>
        </Badge>
      )}
      {payload_state !== 'Processed' && <StateBadge state={payload_state} />}
      <Flags payload={message} />
    </Group>
  )
}

function AuthorName({ author }: { author: Author }) {
  const { i18n } = useLingui()
  if (author.kind === 'user') return visible(author.name)
  return author.kind === 'party' ? partyText(author.party, i18n) : <Trans>Unknown sender</Trans>
}

/** A truncated text. The full text loads on demand, because the read is audited. */
function LongText({ message: { payload_reference, text } }: { message: ThreadMessage }) {
  const may = useMay()
  const whole = useMutation({
    mutationFn: () => readWholeText(payload_reference),
    onSuccess: () => refreshAudit(payload_reference),
    onError: noticeDataFailure,
    meta: { silent: true },
  })
  return (
    <>
      <p className={classes.text}>
        <MarkedText text={whole.data ?? `${text ?? ''}…`} />
      </p>
      {whole.data === undefined && (
        <>
          <Text size="sm" fs="italic">
            <Trans>The text is truncated.</Trans>
          </Text>
          {may('payloads:play') && (
            <Button
              size="compact-sm"
              variant="default"
              loading={whole.isPending}
              onClick={() => whole.mutate()}
            >
              <Trans>Show full text</Trans>
            </Button>
          )}
        </>
      )}
    </>
  )
}

async function readWholeText(payload_reference: string): Promise<string> {
  const answer = await fetch(await askDataAddress(payload_reference, 'play', 'text'))
  if (!answer.ok) throw new Error(`the text was refused: ${answer.status}`)
  return answer.text()
}
