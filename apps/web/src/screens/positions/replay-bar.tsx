import { Trans, useLingui } from '@lingui/react/macro'
import { ActionIcon, Group, NativeSelect, Stack, Switch, Text, TextInput } from '@mantine/core'
import { type KeyboardEvent, useState } from 'react'
import { formatTick } from '../../ui/axis-ticks.ts'
import { Icon } from '../../ui/icon.tsx'
import { formatTime } from '../../ui/time-format.ts'
import { onShownDay, parseClock, getTicks } from './clock.ts'
import type { Coordinates } from './map/use-place-names.ts'
import { type Segment, type PositionAtTime, getPositionAt } from './segments.ts'
import type { Track } from './track.ts'
import { SPEEDS, type useReplay } from './use-replay.ts'
import classes from './replay-bar.module.css'

/** Ticks of an axis at most. */
const MAX_TICKS = 8
const DAY_SECONDS = 86_400

/** Slider step of a key, in seconds. */
const STEPS: Readonly<Record<string, number>> = {
  ArrowLeft: -60,
  ArrowDown: -60,
  ArrowRight: 60,
  ArrowUp: 60,
  PageDown: -900,
  PageUp: 900,
}

interface Span {
  begin: number
  end: number
}

/** Replays the track and shows any moment of it. */
export function ReplayBar({
  replay,
  span,
  tracks,
  segments,
  getPlace,
  onJump,
}: {
  replay: ReturnType<typeof useReplay>
  span: Span
  tracks: readonly Track[]
  segments: readonly Segment[]
  getPlace: (position: Coordinates) => string
  onJump: (time: number) => void
}) {
  const { t } = useLingui()
  const { time, isRunning, toggle, speed, setSpeed, isSkipping, setSkipping, isFollowing, setFollowing } =
    replay
  const words = useWords(getPositionAt(tracks, segments, time), time, getPlace)
  return (
    <Stack gap="xs">
      <Group gap="sm" align="end">
        <ClockField time={time} span={span} onJump={onJump} />
        {/* A running replay would be announced without end. */}
        <Text component="output" aria-live={isRunning ? 'off' : 'polite'} flex="1 1 260px" mb={8}>
          {words}
        </Text>
      </Group>
      <div className={classes.bar}>
        <ActionIcon size="lg" aria-label={isRunning ? t`Pause` : t`Replay`} onClick={toggle}>
          <Icon name={isRunning ? 'pause' : 'play'} />
        </ActionIcon>
        <Slider time={time} span={span} words={words} onChange={replay.setTime} />
        <TimeAxis span={span} segments={segments} />
      </div>
      <Group gap="sm">
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
        <Switch
          label={t`Follow on the map`}
          checked={isFollowing}
          onChange={({ currentTarget }) => setFollowing(currentTarget.checked)}
        />
      </Group>
    </Stack>
  )
}

/** Says where the device is: "15:00: Peckham, London, 14:02–15:40". */
function useWords(where: PositionAtTime, time: number, getPlace: (position: Coordinates) => string): string {
  const { t, i18n } = useLingui()
  const clock = (at: number) => formatTime(at, i18n.locale, undefined, 'clock')
  const now = formatTime(Math.round(time), i18n.locale, undefined, 'second')
  if (where.kind === 'stop') {
    const [place, from, to] = [getPlace(where.stop), clock(where.stop.begin), clock(where.stop.end)]
    return t`${now}: ${place}, there from ${from} to ${to}`
  }
  if (where.kind === 'move') {
    const place = getPlace(where)
    return t`${now}: ${place}, on the way`
  }
  if (!where.last) return t`${now}: no position until then`
  const [place, last] = [getPlace(where.last), formatTime(where.last.time, i18n.locale)]
  return t`${now}: unknown; last known at ${last}: ${place}`
}

function Slider({
  time,
  span: { begin, end },
  words,
  onChange,
}: {
  time: number
  span: Span
  words: string
  onChange: (time: number) => void
}) {
  const { t } = useLingui()
  const onKeyDown = (event: KeyboardEvent) => {
    const step = STEPS[event.key]
    if (step === undefined) return
    event.preventDefault()
    onChange(Math.min(end, Math.max(begin, time + step)))
  }
  return (
    <input
      type="range"
      className={classes.slider}
      min={begin}
      max={end}
      step={1}
      value={Math.round(time)}
      aria-label={t`Position in time`}
      aria-valuetext={words}
      onChange={({ currentTarget }) => onChange(Number(currentTarget.value))}
      onKeyDown={onKeyDown}
    />
  )
}

/** The shown time of day; a typed one is shown on Enter, or when the field is left. */
function ClockField({ time, span, onJump }: { time: number; span: Span; onJump: (time: number) => void }) {
  const { t, i18n } = useLingui()
  const [typed, setTyped] = useState<string>()
  const [isWrong, setWrong] = useState(false)
  const apply = () => {
    if (typed === undefined) return
    const clock = parseClock(typed)
    setWrong(clock === undefined)
    if (clock === undefined) return
    setTyped(undefined)
    onJump(onShownDay(clock, time, span))
  }
  return (
    <TextInput
      className={classes.clock}
      label={t`Time of day`}
      autoComplete="off"
      value={typed ?? formatTime(Math.round(time), i18n.locale, undefined, 'clock')}
      error={isWrong ? <Trans>Write a time such as 15:00.</Trans> : undefined}
      onFocus={({ currentTarget }) => currentTarget.select()}
      onChange={({ currentTarget: { value } }) => setTyped(value)}
      onBlur={apply}
      onKeyDown={({ key }) => {
        if (key === 'Enter') apply()
        if (key === 'Escape') setTyped(undefined)
      }}
    />
  )
}

/** Stops, ways and gaps under the slider, with round times. The list says the same in words. */
function TimeAxis({ span, segments }: { span: Span; segments: readonly Segment[] }) {
  const { i18n } = useLingui()
  const { begin, end } = span
  const length = Math.max(1, end - begin)
  const part = (seconds: number) => `${(seconds / length) * 100}%`
  const isLong = length > DAY_SECONDS
  // A label at the very end would be cut.
  const ticks = getTicks(span, MAX_TICKS).filter((tick) => end - tick > length / 12)
  return (
    <div className={classes.axis} aria-hidden="true">
      <div className={classes.strip}>
        {segments
          .filter(({ kind }) => kind !== 'move')
          .map((each) => (
            <span
              key={`${each.device_reference} ${each.begin}`}
              className={classes[each.kind]}
              style={{ left: part(each.begin - begin), width: part(each.end - each.begin) }}
            />
          ))}
      </div>
      {ticks.map((tick) => (
        <span key={tick} className={classes.tick} style={{ left: part(tick - begin) }}>
          {isLong ? formatTick(tick, i18n.locale) : formatTime(tick, i18n.locale, undefined, 'clock')}
        </span>
      ))}
    </div>
  )
}
