import type { Payload } from '@custodia/contract'
import { useLingui } from '@lingui/react/macro'
import { ActionIcon, Group } from '@mantine/core'
import { type RefCallback, useEffect, useRef, useState } from 'react'
import { Hint } from '../../../ui/hint.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { useSingleKeys } from '../../../ui/use-keys.ts'
import { useThumbnail } from '../thumbnails.ts'
import type { Playback, PlaybackView } from './playback.ts'
import { stepped } from './times.ts'
import classes from './player.module.css'

/** Video element. Before playback it shows the thumbnail and fetches no data. */
export function Screen({
  attach,
  payload,
  onPress,
}: {
  attach: RefCallback<HTMLElement>
  payload: Payload
  onPress: (() => void) | undefined
}) {
  const { t } = useLingui()
  const thumbnail = useThumbnail(payload.payload_reference)
  const last = useRef<HTMLCanvasElement>(null)
  const [isHeld, setHeld] = useState(false)
  /** Keeps the last frame while a new data URL loads. */
  const hold = (film: HTMLVideoElement) => {
    const canvas = last.current
    if (canvas === null || film.videoWidth === 0) return
    canvas.width = film.videoWidth
    canvas.height = film.videoHeight
    canvas.getContext('2d')?.drawImage(film, 0, 0)
    setHeld(true)
  }
  const release = () => setHeld(false)
  return (
    <div className={classes.screen}>
      {/* eslint-disable-next-line jsx-a11y/media-has-caption, jsx-a11y/click-events-have-key-events,
         jsx-a11y/no-noninteractive-element-interactions -- recordings have no transcript; space bar and button do the
         same */}
      <video
        ref={attach}
        preload="none"
        playsInline
        disablePictureInPicture
        aria-label={t`Picture of the video`}
        className={classes.film}
        {...(thumbnail?.src !== undefined && { poster: thumbnail.src })}
        onClick={onPress}
        onError={(event) => hold(event.currentTarget)}
        onSeeked={release}
        onPlaying={release}
      />
      <canvas ref={last} hidden={!isHeld} className={`${classes.film} ${classes.held}`} aria-hidden="true" />
    </div>
  )
}

/** Video-only controls: frame steps and full screen. */
export function FilmControls({
  film,
  playback,
  view,
  rate,
  isBrief,
  disabled,
}: {
  film: HTMLVideoElement
  playback: Playback
  view: PlaybackView
  /** Frame rate, where known. */
  rate: number | undefined
  isBrief: boolean
  disabled: boolean
}) {
  const { t } = useLingui()
  // Before playback there is no frame to step from.
  const isShown = !disabled && view.phase !== 'idle' && view.phase !== 'failed'
  const step = (by: number) => {
    if (!isShown) return
    playback.pause()
    playback.seek(stepped(film.currentTime, by, rate))
  }
  const toggleScreen = () =>
    void (document.fullscreenElement
      ? document.exitFullscreen()
      : film.closest('section')?.requestFullscreen())
  useEffect(() => {
    const player = film.closest('section')
    // Full screen takes the focus from elements outside, and leaving it gives none back.
    const keepFocus = () => {
      if (!player?.contains(document.activeElement))
        player?.querySelector<HTMLElement>('[data-play]')?.focus({ preventScroll: true })
    }
    player?.addEventListener('fullscreenchange', keepFocus)
    return () => player?.removeEventListener('fullscreenchange', keepFocus)
  }, [film])
  useSingleKeys(isBrief || disabled ? {} : { ',': () => step(-1), '.': () => step(1), v: toggleScreen })
  const button = (
    label: string,
    icon: Parameters<typeof Icon>[0]['name'],
    act: () => void,
    isOff = false,
  ) => (
    <Hint label={label}>
      <ActionIcon size={40} variant="default" aria-label={label} disabled={isOff} onClick={act}>
        <Icon name={icon} size={18} />
      </ActionIcon>
    </Hint>
  )
  return (
    <Group gap={4} wrap="nowrap">
      {button(t`Previous frame (,)`, 'chevron-left', () => step(-1), !isShown)}
      {button(t`Next frame (.)`, 'chevron-right', () => step(1), !isShown)}
      {button(t`Full screen (V)`, 'arrows-out', toggleScreen, disabled)}
    </Group>
  )
}
