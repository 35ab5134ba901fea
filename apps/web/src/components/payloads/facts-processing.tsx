import type { Payload } from '@custodia/contract'
import type { I18n } from '@lingui/core'
import { Trans } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import { Reference } from '../../ui/reference.tsx'
import { Time } from '../../ui/time.tsx'
import type { Fact } from './fact.ts'
import { formatSize } from './size.ts'

export function processingFacts(payload: Payload, i18n: I18n): (Fact | false)[] {
  const { media } = payload
  return [
    [<Trans key="announced">Announced</Trans>, moment(payload.announced_at)],
    [<Trans key="uploaded">Uploaded</Trans>, moment(payload.uploaded_at)],
    [<Trans key="processed">Processed</Trans>, moment(payload.processed_at)],
    [<Trans key="transferred">Transferred</Trans>, moment(payload.transferred_at)],
    [
      <Trans key="receipt">Receipt</Trans>,
      payload.receipt_confirmed_at === undefined ? undefined : (
        <span key="value">
          <Trans>Receipt confirmed by {payload.receipt_confirmed_by ?? '–'}</Trans> ·{' '}
          {moment(payload.receipt_confirmed_at)}
        </span>
      ),
    ],
    [<Trans key="scanner">Malware scan</Trans>, scanOf(payload)],
    media !== undefined && [
      <Trans key="original">Original</Trans>,
      `${[media.content_type, media.codec].filter(Boolean).join(', ')} · ${formatSize(media.size, i18n)}`,
    ],
    // A message is read, not played.
    media?.playback !== undefined &&
      /^(audio|video|image)\//.test(media.content_type) && [
        <Trans key="played">Played as</Trans>,
        media.playback === 'original' ? (
          <Trans key="value">the original itself</Trans>
        ) : (
          <Trans key="value">a converted copy ({media.playback_content_type})</Trans>
        ),
      ],
    [<Trans key="sealed">SHA-256 sealed</Trans>, reference(payload.checksum)],
    [<Trans key="opened">SHA-256 opened</Trans>, reference(payload.decrypted_checksum)],
    [<Trans key="key">Key</Trans>, reference(payload.key_id)],
    [<Trans key="legacy">Legacy reference</Trans>, reference(payload.legacy_payload_reference)],
    [<Trans key="legacy-time">Legacy processed</Trans>, moment(payload.legacy_processed_time)],
    [<Trans key="updated">Updated</Trans>, moment(payload.updated_at)],
  ]
}

const moment = (at: number | undefined): ReactNode =>
  at === undefined ? undefined : <Time key="value" at={at} style="second" />

const reference = (value: string | undefined): ReactNode =>
  value === undefined ? undefined : <Reference key="value" value={value} length={17} />

function scanOf({ scanner }: Payload): ReactNode {
  if (scanner === undefined) return undefined
  return scanner === 'none' ? (
    <Trans key="value">not scanned: no scanner is set up</Trans>
  ) : (
    <Trans key="value">clean ({scanner})</Trans>
  )
}
