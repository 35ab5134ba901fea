import type { CommentDuration } from '@custodia/contract'
import { useLingui } from '@lingui/react/macro'
import { Group, Text } from '@mantine/core'
import type { KeyboardEvent, ReactNode } from 'react'
import { formatDuration } from '../../../ui/time-format.ts'
import { dragPart } from './drag-part.ts'
import { type Playback, type PlaybackView } from './playback.ts'
import classes from './player.module.css'
import { spokenTime } from './spoken-time.ts'

/** Slider step of a key, in seconds. */
const STEPS: Readonly<Record<string, number>> = {
  ArrowLeft: -5,
  ArrowDown: -5,
  ArrowRight: 5,
  ArrowUp: 5,
  PageDown: -30,
  PageUp: 30,
}

/**
 * Slider over the waveform, with elapsed and total time below.
 * @param lasts duration in seconds, as in lists and header
 * @param onMean receives a dragged range; absent: dragging moves the playhead
 * @param children the waveform, or nothing
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
