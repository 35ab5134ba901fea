import { useLocalStorage } from '@mantine/hooks'
import { useEffect } from 'react'
import { useProfile } from '../../../api/use-profile.ts'
import { followListener } from './listener.ts'
import type { Playback } from './playback.ts'

/** Autoplay setting, per user of this browser; off by default. */
export function usePlaysOn() {
  const { client, user_reference } = useProfile()
  return useLocalStorage({
    key: `custodia.plays_on.${client}.${user_reference}`,
    defaultValue: false,
    getInitialValueInEffect: false,
  })
}

/** Tracks playback while `isOn`. */
export function useFollowListener(payload_reference: string, playback: Playback, isOn: boolean): void {
  useEffect(
    () => (isOn ? followListener(payload_reference, playback) : undefined),
    [payload_reference, playback, isOn],
  )
}
