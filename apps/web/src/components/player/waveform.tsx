import type { Peaks } from '@custodia/contract'
import { useComputedColorScheme } from '@mantine/core'
import { useEffect, useRef } from 'react'
import WaveSurfer from 'wavesurfer.js'
import type { Playback } from './playback.ts'
import { WAVE_HEIGHT } from './wave-height.ts'

/** A canvas takes no light-dark(): the colours of both modes. */
const COLOURS = {
  light: { waveColor: '#a7b4c4', progressColor: '#1864ab', cursorColor: '#c2255c' },
  dark: { waveColor: '#56657a', progressColor: '#74c0fc', cursorColor: '#faa2c1' },
} as const

/**
 * Draws precomputed peaks over the player's own audio element. Given peaks and length and no address, the library
 * neither downloads nor decodes. A picture for the eye and the mouse; the slider below is its accessible twin.
 */
export default function Waveform({
  audio,
  playback,
  peaks,
}: {
  audio: HTMLAudioElement
  playback: Playback
  peaks: Peaks
}) {
  const container = useRef<HTMLDivElement>(null)
  const colours = COLOURS[useComputedColorScheme('light')]

  useEffect(() => {
    if (container.current === null) return
    const wave = WaveSurfer.create({
      container: container.current,
      media: audio,
      peaks: channels(peaks.peaks),
      duration: peaks.duration,
      height: WAVE_HEIGHT,
      normalize: true,
      barWidth: 2,
      barGap: 1,
      barRadius: 1,
      cursorWidth: 2,
      dragToSeek: true,
      autoScroll: false,
      hideScrollbar: true,
      cspNonce: document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '',
      ...colours,
    })
    wave.on('interaction', playback.seek)
    // Before the sound is there, the audio element reports no time: the slider and the keys move the cursor.
    const follow = () => {
      const { position, phase } = playback.view()
      if (phase !== 'playing') wave.getRenderer().renderProgress(position / peaks.duration, false)
    }
    wave.on('ready', follow)
    const unsubscribe = playback.subscribe(follow)
    return () => {
      unsubscribe()
      wave.destroy()
    }
  }, [audio, playback, peaks, colours])

  return <div ref={container} aria-hidden="true" />
}

/** Highs above the line, lows below, each from −1 to 1. */
function channels(pairs: readonly number[]): [Float32Array, Float32Array] {
  const half = Math.floor(pairs.length / 2)
  const side = (offset: number) =>
    Float32Array.from({ length: half }, (_, i) => (pairs[i * 2 + offset] ?? 0) / 128)
  return [side(1), side(0)]
}
