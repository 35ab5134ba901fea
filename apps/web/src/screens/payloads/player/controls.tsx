import { useLingui } from '@lingui/react/macro'
import { ActionIcon, Chip, Group } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { type KeyboardEvent, type ReactNode, useRef } from 'react'
import { Hint } from '../../../ui/hint.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { useSingleKeys } from '../../../ui/use-keys.ts'
import { getAddress } from './moment.ts'
import { type Playback, type PlaybackView, SPEEDS } from './playback.ts'
import { nextVolume, storeVolume, VOLUME_STEP } from './volume.ts'
import classes from './player.module.css'

interface ControlProps {
  playback: Playback
  view: PlaybackView
  disabled: boolean
}

/** Play, jump, speed and silence buttons. Every key has a button. */
export function Controls({
  hasSilences,
  isBrief,
  onSpeed,
  onSkipSilence,
  playsOn,
  onPlaysOn,
  children,
  ...control
}: ControlProps & {
  hasSilences: boolean
  isBrief: boolean
  onSpeed: (speed: number) => void
  onSkipSilence: () => void
  /** Autoplay of the next recording. */
  playsOn: boolean
  onPlaysOn: () => void
  children?: ReactNode
}) {
  const { t, i18n } = useLingui()
  const { playback, view, disabled } = control
  return (
    <Group justify="space-between" gap="sm" data-not-printed>
      <PlayAndJump {...control} />
      <Group gap="sm">
        {children}
        {!isBrief && <CopyMoment playback={playback} />}
        <Chip
          size="sm"
          checked={view.skipsSilence && hasSilences}
          onChange={onSkipSilence}
          // Not hidden: the controls would wrap anew once the silences are known.
          disabled={disabled || !hasSilences}
          title={t`Skips silent parts (S)`}
        >
          {t`Skip silence`}
        </Chip>
        <Chip
          size="sm"
          checked={playsOn}
          onChange={onPlaysOn}
          disabled={disabled}
          title={t`Plays the next recording of the list when this one ends (A)`}
        >
          {t`Autoplay`}
        </Chip>
        <VolumeControl {...control} />
        <div className={classes.speed}>
          {/* Not the library's: its field costs 4 KiB of this page's scripts. */}
          <select
            className="tabular"
            aria-label={t`Speed`}
            title={t`Speed ([ slower, ] faster)`}
            value={view.speed}
            disabled={disabled}
            onChange={(event) => onSpeed(Number(event.currentTarget.value))}
          >
            {SPEEDS.map((speed) => (
              <option key={speed} value={speed}>
                {`${i18n.number(speed)} ×`}
              </option>
            ))}
          </select>
          <Icon name="chevron-down" size={16} />
        </div>
      </Group>
    </Group>
  )
}

/** Takes the space of the controls, which wrap by the widths of their texts, while they load. */
export function ControlsPending({ isBrief }: { isBrief: boolean }) {
  const { t } = useLingui()
  return (
    <Group justify="space-between" gap="sm" inert>
      <Group gap="xs" wrap="nowrap">
        {['', '', classes.play, '', ''].map((button, place) => (
          <div key={place} className={`${classes.bone} ${button || classes.jump}`} />
        ))}
      </Group>
      <Group gap="sm">
        {!isBrief && <div className={classes.bone} />}
        <Chip size="sm">{t`Skip silence`}</Chip>
        <Chip size="sm">{t`Autoplay`}</Chip>
        <Group gap={4} wrap="nowrap">
          <div className={classes.bone} />
          <div className={classes.volume} />
        </Group>
        <div className={`${classes.bone} ${classes.speed}`} />
      </Group>
    </Group>
  )
}

function PlayAndJump({ playback, view, disabled }: ControlProps) {
  const { t } = useLingui()
  const isOn = view.phase === 'playing' || view.phase === 'asking'
  const jumps = [
    { by: -10, label: t`10 seconds back`, text: '−10', keys: 'J' },
    { by: -5, label: t`5 seconds back`, text: '−5', keys: t`Left arrow` },
    { by: 5, label: t`5 seconds forward`, text: '+5', keys: t`Right arrow` },
    { by: 10, label: t`10 seconds forward`, text: '+10', keys: 'L' },
  ]
  const jump = ({ by, label, text, keys }: (typeof jumps)[number]) => (
    <Hint key={by} label={`${label} (${keys})`}>
      <ActionIcon
        size={40}
        variant="default"
        aria-label={label}
        disabled={disabled}
        className={classes.jump}
        onClick={() => playback.skip(by)}
      >
        {text}
      </ActionIcon>
    </Hint>
  )
  return (
    <Group gap="xs" wrap="nowrap">
      {jumps.slice(0, 2).map(jump)}
      <Hint label={isOn ? t`Pause (space bar)` : t`Play (space bar)`}>
        <ActionIcon
          size={52}
          radius="xl"
          variant="filled"
          aria-label={isOn ? t`Pause` : t`Play`}
          disabled={disabled}
          aria-busy={view.phase === 'asking'}
          className={classes.play}
          data-play
          onClick={playback.toggle}
        >
          <Icon name={isOn ? 'pause' : 'play'} size={24} />
        </ActionIcon>
      </Hint>
      {jumps.slice(2).map(jump)}
    </Group>
  )
}

/** Link to the recording at this moment, to share. */
function CopyMoment({ playback }: { playback: Playback }) {
  const { t } = useLingui()
  const clipboard = useClipboard({ timeout: 2000 })
  return (
    <Hint label={clipboard.copied ? t`Copied` : t`Copy a link to this moment`}>
      <ActionIcon
        size={40}
        variant="default"
        aria-label={t`Copy a link to this moment`}
        onClick={() => clipboard.copy(getAddress(playback.view().position))}
      >
        <Icon name={clipboard.copied ? 'check' : 'link'} size={18} />
      </ActionIcon>
    </Hint>
  )
}

/** Direction of a slider key. */
const WAYS: Readonly<Record<string, 1 | -1>> = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }

/** Volume slider and mute, for this and later recordings. */
function VolumeControl(props: { playback: Playback; view: PlaybackView; disabled: boolean }) {
  const { t, i18n } = useLingui()
  const { playback, disabled } = props
  const { volume } = props.view
  const before = useRef(1)
  const set = (next: number) => {
    if (next === 0 && volume > 0) before.current = volume
    playback.setVolume(next)
    storeVolume(localStorage, next)
  }
  const turn = (way: 1 | -1) => set(nextVolume(volume, way * VOLUME_STEP))
  const mute = () => set(volume === 0 ? before.current : 0)
  useSingleKeys(disabled ? {} : { '+': () => turn(1), '-': () => turn(-1), m: mute })
  const onKeyDown = (event: KeyboardEvent) => {
    const way = WAYS[event.key]
    if (way === undefined) return
    event.preventDefault()
    turn(way)
  }
  const label = volume === 0 ? t`Sound on (M)` : t`Sound off (M)`
  return (
    <Group gap={4} wrap="nowrap">
      <Hint label={label}>
        <ActionIcon
          size={40}
          variant={volume === 0 ? 'light' : 'default'}
          aria-label={label}
          disabled={disabled}
          onClick={mute}
        >
          <Icon name={volume === 0 ? 'x' : 'volume'} size={18} />
        </ActionIcon>
      </Hint>
      <input
        type="range"
        className={classes.volume}
        aria-label={t`Volume`}
        aria-valuetext={i18n.number(volume, { style: 'percent' })}
        title={t`Volume (+ louder, - softer)`}
        min={0}
        max={1}
        step={0.05}
        value={volume}
        disabled={disabled}
        onKeyDown={onKeyDown}
        onChange={(event) => set(Number(event.currentTarget.value))}
      />
    </Group>
  )
}
