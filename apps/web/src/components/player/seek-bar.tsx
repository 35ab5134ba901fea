import { useLingui } from '@lingui/react/macro'
import { Group, Text } from '@mantine/core'
import type { KeyboardEvent } from 'react'
import { formatDuration } from '../../ui/time-format.ts'
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

/** Elapsed time, slider, total time: the accessible twin of the waveform. */
export function SeekBar({
  playback,
  view,
  disabled,
}: {
  playback: Playback
  view: PlaybackView
  disabled: boolean
}) {
  const { t, i18n } = useLingui()
  const { position, duration } = view
  const [elapsed, whole] = [spokenTime(position, i18n), spokenTime(duration, i18n)]
  const onKeyDown = (event: KeyboardEvent) => {
    const step = STEPS[event.key]
    if (step === undefined) return
    event.preventDefault()
    playback.skip(step)
  }
  return (
    <Group gap="sm" wrap="nowrap">
      <Text span className="tabular" size="sm" miw={36}>
        {formatDuration(Math.floor(position))}
      </Text>
      <input
        type="range"
        className={classes.seek}
        style={{ ['--played' as string]: `${duration > 0 ? (position / duration) * 100 : 0}%` }}
        aria-label={t`Position in the recording`}
        aria-valuetext={t`${elapsed} of ${whole}`}
        min={0}
        max={Math.max(duration, 0.1)}
        step={0.1}
        value={Math.min(position, duration)}
        disabled={disabled}
        onKeyDown={onKeyDown}
        onChange={(event) => playback.seek(Number(event.currentTarget.value))}
      />
      <Text span className="tabular" size="sm" c="dimmed" miw={36} ta="right">
        {formatDuration(Math.floor(duration))}
      </Text>
    </Group>
  )
}
