import { useLingui } from '@lingui/react/macro'
import { ActionIcon, Group } from '@mantine/core'
import { type KeyboardEvent, useRef } from 'react'
import { Hint } from '../../../ui/hint.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { useSingleKeys } from '../../../ui/use-keys.ts'
import type { Playback, PlaybackView } from './playback.ts'
import classes from './player.module.css'
import { nextVolume, storeVolume, VOLUME_STEP } from './volume.ts'

/** Direction of a slider key. */
const WAYS: Readonly<Record<string, 1 | -1>> = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }

/** Volume slider and mute, for this and later recordings. */
export function VolumeControl(props: { playback: Playback; view: PlaybackView; disabled: boolean }) {
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
