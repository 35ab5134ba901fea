import type { Peaks } from '@custodia/contract'
import { useComputedColorScheme } from '@mantine/core'
import { useEffect, useRef } from 'react'
import WaveSurfer from 'wavesurfer.js'
import { WAVE_HEIGHT } from './lanes.ts'
import type { Playback } from './playback.ts'

/** A canvas cannot use light-dark(): colours of both modes. */
const COLOURS = {
  light: { waveColor: '#a7b4c4', progressColor: '#1864ab' },
  dark: { waveColor: '#56657a', progressColor: '#74c0fc' },
} as const

/** The library sizes its canvas for the screen; on paper it is as wide as the page, without what was played. */
const PAPER = '@media print { canvas { width: 100% !important } .progress { display: none } }'

/**
 * Draws precomputed peaks; with peaks and no URL the library neither downloads nor decodes. Decorative: the slider
 * above is interactive.
 * @param length of the recording in seconds: the peaks cover their share of the axis
 */
export default function Waveform({
  playback,
  peaks,
  length,
}: {
  playback: Playback
  peaks: Peaks
  length: number
}) {
  const container = useRef<HTMLDivElement>(null)
  const colours = COLOURS[useComputedColorScheme('light')]

  useEffect(() => {
    if (container.current === null) return
    const wave = WaveSurfer.create({
      container: container.current,
      // The library's player stays unused; the slider sets its position.
      media: document.createElement('audio'),
      peaks: channels(peaks.peaks),
      duration: peaks.duration,
      height: WAVE_HEIGHT,
      normalize: true,
      barWidth: 2,
      barGap: 1,
      barRadius: 1,
      cursorWidth: 0,
      interact: false,
      autoScroll: false,
      hideScrollbar: true,
      cspNonce: document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '',
      ...colours,
    })
    const follow = () => {
      const share = playback.view().position / peaks.duration
      wave.getRenderer().renderProgress(Math.min(1, share), false)
    }
    wave.on('ready', follow)
    const root = wave.getWrapper().getRootNode()
    if (root instanceof ShadowRoot) {
      const sheet = new CSSStyleSheet()
      sheet.replaceSync(PAPER)
      root.adoptedStyleSheets.push(sheet)
    }
    const unsubscribe = playback.subscribe(follow)
    return () => {
      unsubscribe()
      wave.destroy()
    }
  }, [playback, peaks, colours])

  const share = length > 0 ? Math.min(1, peaks.duration / length) : 1
  return <div ref={container} aria-hidden="true" style={{ width: `${share * 100}%` }} />
}

/** Maxima and minima, each from −1 to 1. */
function channels(pairs: readonly number[]): [Float32Array, Float32Array] {
  const half = Math.floor(pairs.length / 2)
  const side = (offset: number) =>
    Float32Array.from({ length: half }, (_, i) => (pairs[i * 2 + offset] ?? 0) / 128)
  return [side(1), side(0)]
}
