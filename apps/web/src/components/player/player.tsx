import type { Payload } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Card, Skeleton, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useCallback, useEffect, useMemo } from 'react'
import { useMay } from '../../api/use-profile.ts'
import { PAYLOAD_TYPE_WORDS } from '../words/payload-words.ts'
import { askDataAddress } from '../payloads/data-address.ts'
import { metaOf } from '../payloads/meta.ts'
import { peaksQuery, refreshAudit } from '../payloads/queries.ts'
import { Controls } from './controls.tsx'
import { interviewPauses, partyLanes } from './lanes.ts'
import { PartyLanes } from './party-lanes.tsx'
import { PauseLane } from './pause-lane.tsx'
import type { Playback } from './playback.ts'
import { PlaybackFailure } from './playback-failure.tsx'
import classes from './player.module.css'
import { SeekBar } from './seek-bar.tsx'
import { rememberSpeed } from './speeds.ts'
import { SKIP_SILENCE_KEY, usePlayback, usePlaybackView } from './use-playback.ts'
import { usePlayerKeys } from './use-player-keys.ts'
import { WAVE_HEIGHT } from './wave-height.ts'

const Waveform = lazy(() => import('./waveform.tsx'))

/** Plays a call or an interview. The data is fetched when play is pressed and not before. */
export function Player({ payload }: { payload: Payload }) {
  const { i18n } = useLingui()
  const { payload_reference } = payload
  const ask = useCallback(() => askDataAddress(payload_reference, 'play'), [payload_reference])
  const [attach, playing] = usePlayback(payload.media?.duration ?? payload.duration ?? 0, ask)
  return (
    <Card component="section" aria-label={i18n._(PAYLOAD_TYPE_WORDS[payload.payload_type])} padding="md">
      {/* eslint-disable-next-line jsx-a11y/media-has-caption -- recordings come without a transcript */}
      <audio ref={attach} preload="none" />
      {playing === undefined ? <Skeleton h={WAVE_HEIGHT + 120} /> : <Panel {...playing} payload={payload} />}
    </Card>
  )
}

function Panel({
  audio,
  playback,
  payload,
}: {
  audio: HTMLAudioElement
  playback: Playback
  payload: Payload
}) {
  const disabled = !useMay()('payloads:play')
  const view = usePlaybackView(playback)
  const meta = useMemo(() => metaOf(payload), [payload])
  const length = view.duration
  const lanes = useMemo(() => partyLanes(meta, length), [meta, length])
  const pauses = useMemo(() => interviewPauses(meta, length), [meta, length])
  const hasPeaks = payload.media?.has_peaks === true
  const peaks = useQuery({ ...peaksQuery(payload.payload_reference), enabled: hasPeaks })
  const silences = peaks.data?.silences
  useEffect(() => playback.setSilences(silences ?? []), [playback, silences])

  const onSpeed = (speed: number) => {
    playback.setSpeed(speed)
    rememberSpeed(localStorage, speed)
  }
  const onSkipSilence = () => {
    const skips = !playback.view().skipsSilence
    playback.setSkipsSilence(skips)
    localStorage.setItem(SKIP_SILENCE_KEY, String(skips))
  }
  // The first byte of each address is what the audit records.
  const isPlaying = view.phase === 'playing'
  useEffect(() => {
    if (isPlaying) refreshAudit(payload.payload_reference)
  }, [isPlaying, payload.payload_reference])
  usePlayerKeys(playback, { onSpeed, onSkipSilence, isDisabled: disabled })

  const waiting = <Skeleton h={WAVE_HEIGHT} />
  return (
    <Stack gap="sm">
      {payload.media?.being_prepared === true && (
        <Text component="output" h={WAVE_HEIGHT} c="dimmed" className={classes.preparing}>
          <Trans>The waveform is being prepared.</Trans>
        </Text>
      )}
      {hasPeaks && !peaks.isError && (
        <div className={classes.wave}>
          <Suspense fallback={waiting}>
            {peaks.data === undefined ? (
              waiting
            ) : (
              <Waveform audio={audio} playback={playback} peaks={peaks.data} />
            )}
          </Suspense>
        </div>
      )}
      <SeekBar playback={playback} view={view} disabled={disabled} />
      <PauseLane pauses={pauses} length={length} playback={playback} />
      <Controls
        playback={playback}
        view={view}
        hasSilences={(silences?.length ?? 0) > 0}
        disabled={disabled}
        onSpeed={onSpeed}
        onSkipSilence={onSkipSilence}
      />
      {view.phase === 'failed' && <PlaybackFailure failure={view.failure} onRetry={playback.play} />}
      <PartyLanes lanes={lanes} length={length} />
      <Text size="xs" c="dimmed">
        {disabled ? (
          <Trans>Your roles do not include the permission payloads:play.</Trans>
        ) : (
          <Trans>Playing and downloading are recorded in the audit of this recording.</Trans>
        )}
      </Text>
    </Stack>
  )
}
