import type { CommentDuration } from '@custodia/contract'
import { useLingui } from '@lingui/react/macro'
import { Group, Text } from '@mantine/core'
import type { KeyboardEvent, ReactNode } from 'react'
import { formatDuration } from '../../ui/time-format.ts'
import { dragPart } from './drag-part.ts'
import { type Playback, type PlaybackView } from './playback.ts'
import classes from './player.module.css'
import { spokenTime } from './spoken-time.ts'

/** Seconds by which a key moves the slider. */
const STEPS: Readonly<Record<string, number>> = {
  ArrowLeft: -5,
  ArrowDown: -5,
  ArrowRight: 5,
  ArrowUp: 5,
  PageDown: -30,
  PageUp: 30,
}

/**
 * The slider over the waveform: one axis and one playhead, whose line runs through the picture. Below it the time elapsed and the whole.
 *
 * @param lasts the whole in seconds, as lists and header show it
 * @param onMean hears of a part that the mouse is dragged over; absent: dragging moves the playhead, wherever it begins
 * @param children the picture, or nothing
 */
export function SeekBar({
  playback,
  view,
  disabled,
  lasts,
  onMean,
  children,
}: {
  playback: Playback
  view: PlaybackView
  disabled: boolean
  lasts: { seconds: number }
  onMean: ((part: CommentDuration) => void) | undefined
  children: ReactNode
}) {
  const { t, i18n } = useLingui()
  const { position, duration } = view
  const [elapsed, whole] = [spokenTime(position, i18n), spokenTime(lasts.seconds, i18n)]
  const isAtEnd = duration > 0 && position >= duration
  const onKeyDown = (event: KeyboardEvent) => {
    const step = STEPS[event.key]
    if (step === undefined) return
    event.preventDefault()
    playback.skip(step)
  }
  return (
    <div>
      <div className={classes.axis}>
        {children}
        <input
          type="range"
          className={classes.seek}
          style={{ ['--played' as string]: duration > 0 ? position / duration : 0 }}
          aria-label={t`Position in the recording`}
          aria-valuetext={t`${elapsed} of ${whole}`}
          min={0}
          max={Math.max(duration, 0.1)}
          step={0.1}
          value={Math.min(position, duration)}
          disabled={disabled}
          onKeyDown={onKeyDown}
          onMouseDown={(event) => onMean && dragPart(event, view, { seek: playback.seek, mean: onMean })}
          onChange={(event) => playback.seek(Number(event.currentTarget.value))}
        />
      </div>
      <Group gap="sm" wrap="nowrap" justify="space-between">
        <Text span className="tabular" size="sm">
          {formatDuration(isAtEnd ? lasts.seconds : Math.floor(position))}
        </Text>
        <Text span className="tabular" size="sm" c="dimmed">
          {formatDuration(lasts.seconds)}
        </Text>
      </Group>
    </div>
  )
}
