import { Trans } from '@lingui/react/macro'
import { Skeleton, Text } from '@mantine/core'
import { lazy, type ReactNode, Suspense } from 'react'
import type { Playback } from './playback.ts'
import classes from './player.module.css'
import type { Wave } from './use-wave.ts'
import { WAVE_HEIGHT } from './wave-height.ts'

const Waveform = lazy(() => import('./waveform.tsx'))

/** The waveform or its placeholder, in the same space. */
export function WavePlace({
  wave: { phase, peaks },
  playback,
  length,
}: {
  wave: Wave
  playback: Playback
  /** Duration in seconds: the waveform's axis. */
  length: number
}) {
  const note = noteOf(phase)
  if (note !== undefined)
    return (
      <Text component="output" h={WAVE_HEIGHT} c="dimmed" className={classes.preparing}>
        {note}
      </Text>
    )
  if (phase === 'none') return null
  const waiting = <Skeleton h={WAVE_HEIGHT} />
  return (
    <div className={classes.wave}>
      <Suspense fallback={waiting}>
        {peaks === undefined ? waiting : <Waveform playback={playback} peaks={peaks} length={length} />}
      </Suspense>
    </div>
  )
}

function noteOf(phase: Wave['phase']): ReactNode {
  switch (phase) {
    case 'being_prepared':
      return <Trans>The waveform is being prepared.</Trans>
    case 'unplayed':
      return <Trans>The waveform appears during playback.</Trans>
    case 'too_long':
      return <Trans>The recording is too long for a waveform.</Trans>
    case 'failed':
      return <Trans>The browser cannot draw this waveform.</Trans>
    default:
      return undefined
  }
}
