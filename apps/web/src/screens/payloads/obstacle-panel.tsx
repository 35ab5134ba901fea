import { type FailureCode, FAILURES, type Payload, type UNPLAYABLE_REASONS } from '@custodia/contract'
import type { Obstacle } from '@custodia/domain/can'
import type { I18n } from '@lingui/core'
import { Trans, useLingui } from '@lingui/react/macro'
import { Card, Text } from '@mantine/core'
import { lazy, type ReactNode, Suspense, useEffect } from 'react'
import { withTexts } from '../../i18n/i18n.ts'
import type { IconName } from '../../ui/icon.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { useSpaceBar } from '../../ui/use-keys.ts'
import { PAYLOAD_TYPE_STYLES } from './payload-badges.tsx'
import { dropPlaybackRequest } from './player/pending-playback.ts'
import { REFUSALS } from './refusals.ts'

/** What a failure means and what happens next, in the current language. */
export const failurePhrase = (failure: FailureCode, { locale }: Pick<I18n, 'locale'>): string =>
  FAILURES[failure][locale === 'pt-BR' ? 'pt-BR' : 'en-GB']

// Restore and write-off load on demand.
const loadButtons = () => withTexts('lazy', import('./actions/obstacle-buttons.tsx'))
const WriteOffButton = lazy(async () => ({ default: (await loadButtons()).WriteOffButton }))
const RestoreButton = lazy(async () => ({ default: (await loadButtons()).RestoreButton }))

/** Replaces the player: why playback is unavailable, and what happens next. */
export function ObstaclePanel({ payload, obstacle }: { payload: Payload; obstacle: Obstacle }) {
  const look = useLook(payload)[obstacle]
  useSpaceBar(undefined)
  useEffect(() => dropPlaybackRequest(payload.payload_reference), [payload.payload_reference])
  return (
    <Card component="section" aria-label={look.title}>
      <EmptyState
        icon={look.icon}
        title={look.title}
        description={look.text}
        action={
          obstacle === 'deleted' ? (
            <Suspense>
              <RestoreButton reference={payload.payload_reference} />
            </Suspense>
          ) : isLate(payload) ? (
            <Suspense>
              <WriteOffButton payload={payload} />
            </Suspense>
          ) : undefined
        }
      />
    </Card>
  )
}

/** Whether its data is late. */
const isLate = ({ is_late, payload_state }: Payload) =>
  is_late && (payload_state === 'Recorded' || payload_state === 'Failed')

function useLook(payload: Payload): Record<Obstacle, { icon: IconName; title: string; text: ReactNode }> {
  const { t, i18n } = useLingui()
  const word = i18n._(PAYLOAD_TYPE_STYLES[payload.payload_type].word)
  const failure = payload.failure && failurePhrase(payload.failure, i18n)
  return {
    not_recorded: { icon: 'x', title: t`No recording`, text: <NotRecorded payload={payload} /> },
    type_not_authorised: {
      icon: 'lock',
      title: t`Not allowed by your roles: ${word}`,
      text: i18n._(REFUSALS.TypeNotAuthorised),
    },
    on_its_way: {
      icon: 'clock',
      title: t`In progress`,
      text: <UploadProgress state={payload.payload_state} />,
    },
    failed: {
      icon: 'warning',
      title: t`The recording could not be processed`,
      text: failure ?? <Trans>The cause was not recorded.</Trans>,
    },
    quarantined: {
      icon: 'shield-alert',
      title: t`In quarantine`,
      text: failure ?? <Trans>The malware scan failed.</Trans>,
    },
    deleted: {
      icon: 'archive',
      title: t`Deleted by retention`,
      text: <Trans>The data is deleted. You can restore it until it is destroyed.</Trans>,
    },
    destroyed: {
      icon: 'trash',
      title: t`Destroyed by retention`,
      text: <Trans>Data and key are permanently destroyed. This record remains as evidence.</Trans>,
    },
    being_prepared: {
      icon: 'clock',
      title: t`Being prepared`,
      text: (
        <Trans>
          It is safe and is being converted for the browser. This page updates automatically. You can download
          the original now.
        </Trans>
      ),
    },
    unplayable: {
      icon: PAYLOAD_TYPE_STYLES[payload.payload_type].icon,
      title:
        payload.media?.unplayable_reason === 'no_transcoder'
          ? t`Needs the converter`
          : payload.payload_type === 'Photo'
            ? t`Cannot be shown in the browser`
            : t`Cannot be played in the browser`,
      text: <UnplayableNotice reason={payload.media?.unplayable_reason} type={payload.media?.content_type} />,
    },
  }
}

function NotRecorded({ payload: { payload_type, reason_for_blocking } }: { payload: Payload }) {
  if (payload_type === 'AbortedCall')
    return <Trans>The call ended before it was answered: nothing was recorded.</Trans>
  if (payload_type !== 'BlockedCall') return <Trans>The phone announced it without data.</Trans>
  return (
    <>
      <Trans>The phone blocked this call: nothing was recorded.</Trans>
      {reason_for_blocking !== undefined && (
        <Text mt="xs" c="var(--mantine-color-text)">
          <Trans>Reason: {reason_for_blocking}</Trans>
        </Text>
      )}
    </>
  )
}

function UploadProgress({ state }: { state: Payload['payload_state'] }) {
  if (state === 'Recorded')
    return <Trans>The phone has announced this recording and uploads it once connected.</Trans>
  if (state === 'Uploaded') return <Trans>The upload has arrived and is being checked.</Trans>
  return <Trans>The malware scanner is checking it. This page updates automatically.</Trans>
}

function UnplayableNotice({
  reason,
  type = '',
}: {
  reason: (typeof UNPLAYABLE_REASONS)[number] | undefined
  type: string | undefined
}) {
  switch (reason) {
    case 'no_transcoder':
      return <Trans>This format needs the converter, which is not installed. Download the original.</Trans>
    case 'too_large_to_convert':
      return <Trans>It is too large to convert for the browser. Download the original.</Trans>
    case 'conversion_failed':
      return (
        <Trans>The conversion for the browser failed. The recording is intact: download the original.</Trans>
      )
    case 'damaged_media':
      return <Trans>The seal is intact, but the phone stored damaged content. Download the original.</Trans>
    case 'not_media':
      return <Trans>It contains no sound or picture. Download the original.</Trans>
    default:
      return <Trans>The format {type} is not supported. Download the original.</Trans>
  }
}
