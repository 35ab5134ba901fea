import { Trans, useLingui } from '@lingui/react/macro'
import { ActionIcon, Group, NativeSelect, Switch, Text } from '@mantine/core'
import type { KeyboardEvent } from 'react'
import { Icon } from '../../ui/icon.tsx'
import { formatTime } from '../../ui/time-format.ts'
import classes from './replay-bar.module.css'
import { placeAt, type Track } from './track.ts'
import { SPEEDS, type useReplay } from './use-replay.ts'

/** Slider step of a key, in seconds. */
const STEPS: Readonly<Record<string, number>> = {
  ArrowLeft: -60,
  ArrowDown: -60,
  ArrowRight: 60,
  ArrowUp: 60,
  PageDown: -900,
  PageUp: 900,
}

/** Replays the track and shows any moment of it. */
export function ReplayBar({
  replay,
  span,
  tracks,
}: {
  replay: ReturnType<typeof useReplay>
  span: { begin: number; end: number }
  tracks: readonly Track[]
}) {
  const { t, i18n } = useLingui()
  const { time, setTime, isRunning, toggle, speed, setSpeed, isSkipping, setSkipping } = replay
  const isKnown = tracks.some((track) => placeAt(track, time))
  const shown = formatTime(Math.round(time), i18n.locale, undefined, 'second')
  const spoken = isKnown ? shown : t`${shown}, unknown location`
  const onKeyDown = (event: KeyboardEvent) => {
    const step = STEPS[event.key]
    if (step === undefined) return
    event.preventDefault()
    setTime(Math.min(span.end, Math.max(span.begin, time + step)))
  }
  return (
    <Group gap="sm" wrap="wrap">
      <ActionIcon size="lg" aria-label={isRunning ? t`Pause` : t`Replay`} onClick={toggle}>
        <Icon name={isRunning ? 'pause' : 'play'} />
      </ActionIcon>
      <input
        type="range"
        className={classes.slider}
        min={span.begin}
        max={span.end}
        step={1}
        value={Math.round(time)}
        aria-label={t`Position in time`}
        aria-valuetext={spoken}
        onChange={({ currentTarget }) => setTime(Number(currentTarget.value))}
        onKeyDown={onKeyDown}
      />
      <Text size="sm" className={classes.time}>
        {isKnown ? shown : <Trans>{shown}: unknown location</Trans>}
      </Text>
      <NativeSelect
        aria-label={t`Speed`}
        value={String(speed)}
        onChange={({ currentTarget }) => setSpeed(Number(currentTarget.value))}
        data={SPEEDS.map((each) => ({ value: String(each), label: `${each} ×` }))}
      />
      <Switch
        label={t`Skip stops and gaps`}
        checked={isSkipping}
        onChange={({ currentTarget }) => setSkipping(currentTarget.checked)}
      />
    </Group>
  )
}
