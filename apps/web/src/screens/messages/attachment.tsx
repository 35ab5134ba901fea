import type { ThreadMessage } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Group, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useMay } from '../../api/use-profile.ts'
import { visible } from '../../ui/visible.ts'
import { Icon } from '../../ui/icon.tsx'
import { askDataAddress, downloadData } from '../payloads/data-address.ts'
import { refreshAudit, refreshAuditSoon } from '../payloads/queries.ts'
import { noticeDataFailure } from '../payloads/refusals.tsx'
import { formatSize } from '../payloads/formats.ts'
import classes from './conversation.module.css'

/** Image types that every browser decodes; no svg, which may carry scripts. */
const PICTURES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif']

/** Attachment of a message. Loads on demand only, because each read is audited. */
export function Attachment({
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
