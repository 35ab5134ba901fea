import type { Payload, UNPLAYABLE_REASONS } from '@custodia/contract'
import { hasOriginal, type Obstacle } from '@custodia/domain/can'
import { Trans, useLingui } from '@lingui/react/macro'
import { Card, Text } from '@mantine/core'
import { lazy, type ReactNode, Suspense, useEffect } from 'react'
import { EmptyState } from '../../ui/empty-state.tsx'
import type { IconName } from '../../ui/icon.tsx'
import { useSpaceBar } from '../../ui/use-space-bar.ts'
import { PAYLOAD_TYPE_LOOKS } from '../payload-type.tsx'
import { dropPlaybackRequest } from '../player/pending-playback.ts'
import { DownloadButton } from './download-button.tsx'
import { failurePhrase } from './failure-phrase.ts'
import { REFUSALS } from './refusals.tsx'

// Restore and write-off load on demand.
const AbandonButton = lazy(() => import('../reviewing/abandon-button.tsx'))
const RestoreButton = lazy(() => import('../reviewing/restore-button.tsx'))

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
          hasOriginal(obstacle) ? (
            <DownloadButton payload={payload} obstacle={obstacle} />
          ) : obstacle === 'deleted' ? (
            <Suspense>
              <RestoreButton reference={payload.payload_reference} />
            </Suspense>
          ) : isLate(payload) ? (
            <Suspense>
              <AbandonButton payload={payload} />
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
  const word = i18n._(PAYLOAD_TYPE_LOOKS[payload.payload_type].word)
  const failure = payload.failure && failurePhrase(payload.failure, i18n)
  return {
    not_recorded: { icon: 'x', title: t`No recording`, text: <NotRecorded payload={payload} /> },
    type_not_authorised: {
      icon: 'lock',
      title: t`Not within your roles: ${word}`,
      text: i18n._(REFUSALS.TypeNotAuthorised),
    },
    on_its_way: { icon: 'clock', title: t`On its way`, text: <OnItsWay state={payload.payload_state} /> },
    failed: {
      icon: 'warning',
      title: t`The recording could not be processed`,
      text: failure ?? <Trans>The cause was not recorded.</Trans>,
    },
    quarantined: {
      icon: 'shield-alert',
      title: t`Held back in quarantine`,
      text: failure ?? <Trans>The malware scan did not pass.</Trans>,
    },
    deleted: {
      icon: 'archive',
      title: t`Deleted by retention`,
      text: <Trans>The data is no longer available here. It can be restored until it is destroyed.</Trans>,
    },
    destroyed: {
      icon: 'trash',
      title: t`Destroyed by retention`,
      text: <Trans>Data and key are gone for good. This record remains as proof.</Trans>,
    },
    being_prepared: {
      icon: 'clock',
      title: t`Being prepared`,
      text: (
        <Trans>
          It is checked and safe, and is being converted for the browser. This page follows by itself. The
          original can be downloaded now.
        </Trans>
      ),
    },
    unplayable: {
      icon: PAYLOAD_TYPE_LOOKS[payload.payload_type].icon,
      title:
        payload.media?.unplayable_reason === 'no_transcoder'
          ? t`Needs the converter`
          : payload.payload_type === 'Photo'
            ? t`Cannot be shown in the browser`
            : t`Cannot be played in the browser`,
      text: <Unplayable reason={payload.media?.unplayable_reason} type={payload.media?.content_type} />,
    },
  }
}

function NotRecorded({ payload: { payload_type, reason_for_blocking } }: { payload: Payload }) {
  if (payload_type === 'AbortedCall')
    return <Trans>The call ended before it was answered, so there was nothing to record.</Trans>
  if (payload_type !== 'BlockedCall') return <Trans>The phone announced it without data.</Trans>
  return (
    <>
      <Trans>The phone blocked this call, so there was nothing to record.</Trans>
      {reason_for_blocking !== undefined && (
        <Text mt="xs" c="var(--mantine-color-text)">
          <Trans>Reason: {reason_for_blocking}</Trans>
        </Text>
      )}
    </>
  )
}

function OnItsWay({ state }: { state: Payload['payload_state'] }) {
  if (state === 'Recorded')
    return <Trans>The phone has announced this recording and will upload it when it has a connection.</Trans>
  if (state === 'Uploaded') return <Trans>The upload has arrived and is being checked and opened.</Trans>
  return <Trans>The malware scanner is looking at it. This page follows by itself.</Trans>
}

function Unplayable({
  reason,
  type = '',
}: {
  reason: (typeof UNPLAYABLE_REASONS)[number] | undefined
  type: string | undefined
}) {
  switch (reason) {
    case 'no_transcoder':
      return (
        <Trans>
          This recording’s format needs the converter, which is not installed. The original can be downloaded.
        </Trans>
      )
    case 'too_large_to_convert':
      return <Trans>It is too large to be converted for the browser. The original can be downloaded.</Trans>
    case 'conversion_failed':
      return (
        <Trans>
          Converting it for the browser failed repeatedly. The recording itself is whole: the original can be
          downloaded.
        </Trans>
      )
    case 'damaged_media':
      return (
        <Trans>
          The seal is intact, but what is in it is damaged: the phone stored it this way. The original can be
          downloaded.
        </Trans>
      )
    case 'not_media':
      return <Trans>It holds neither sound nor picture. The original can be downloaded.</Trans>
    default:
      return <Trans>The format {type} is not supported. The original can be downloaded.</Trans>
  }
}
