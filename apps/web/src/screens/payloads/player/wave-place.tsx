import type { Payload, Peaks } from '@custodia/contract'
import { Trans } from '@lingui/react/macro'
import { Skeleton, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react'
import { peaksQuery } from '../queries.ts'
import { WAVE_HEIGHT } from './lanes.ts'
import type { Playback } from './playback.ts'
import classes from './player.module.css'

/** Waveform state; `none`: unavailable, the player works without it. */
interface WaveData {
  phase: 'none' | 'being_prepared' | 'loading' | 'unplayed' | 'drawing' | 'too_long' | 'failed' | 'ready'
  peaks?: Peaks | undefined
}

/**
 * Waveform of a recording: the server's, or decoded in the browser where the server has no decoder.
 * @param mayPlay whether the user may play it, and so decode it here
 */
export function useWave(
  { payload_reference, media }: Payload,
  element: HTMLMediaElement,
  mayPlay: boolean,
): WaveData {
  const hasPeaks = media?.has_peaks === true
  const query = useQuery({ ...peaksQuery(payload_reference), enabled: hasPeaks })
  const isDrawnHere = mayPlay && !hasPeaks && media?.being_prepared === false && media.playback === 'original'
  const drawn = useDrawnWave(media, element, isDrawnHere)
  if (hasPeaks) return query.isError ? { phase: 'none' } : server(query.data)
  if (media?.being_prepared === true) return { phase: 'being_prepared' }
  return isDrawnHere ? drawn : { phase: 'none' }
}

const server = (peaks: Peaks | undefined): WaveData =>
  peaks ? { phase: 'ready', peaks } : { phase: 'loading' }

/** Decoding takes up to 400 KB per second of audio; longer recordings have no waveform. */
const MAX = { seconds: 20 * 60, bytes: 16 * 1024 * 1024 }

/** Decodes after playback starts: an earlier fetch would be an audited act. */
function useDrawnWave(media: Payload['media'], element: HTMLMediaElement, isWanted: boolean): WaveData {
  const [wave, setWave] = useState<WaveData>({ phase: 'unplayed' })
  const isTooLong = (media?.size ?? 0) > MAX.bytes || (media?.duration ?? 0) > MAX.seconds

  useEffect(() => {
    if (!isWanted || isTooLong) return undefined
    const leaving = new AbortController()
    const begin = () => {
      // The duration is known at this point.
      if (!(element.duration <= MAX.seconds)) return setWave({ phase: 'too_long' })
      setWave({ phase: 'drawing' })
      void draw(element.src, leaving.signal).then((drawn) => !leaving.signal.aborted && setWave(drawn))
    }
    element.addEventListener('timeupdate', begin, { once: true })
    return () => {
      element.removeEventListener('timeupdate', begin)
      leaving.abort()
    }
  }, [isWanted, isTooLong, element])

  return isTooLong ? { phase: 'too_long' } : wave
}

async function draw(address: string, signal: AbortSignal): Promise<WaveData> {
  try {
    const { drawSound } = await import('./draw-sound.ts')
    return { phase: 'ready', peaks: await drawSound(address, signal) }
  } catch {
    return { phase: 'failed' }
  }
}

const Waveform = lazy(() => import('./waveform.tsx'))

/** The waveform or its placeholder, in the same space. */
export function WavePlace({
  wave: { phase, peaks },
  playback,
  length,
}: {
  wave: WaveData
  playback: Playback
  /** Duration in seconds: the waveform's axis. */
  length: number
}) {
  const note = getNote(phase)
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

function getNote(phase: WaveData['phase']): ReactNode {
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
