import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { useProfile } from '../../api/use-profile.ts'
import { MODAL } from '../../ui/use-single-keys.ts'
import { isDrafted } from './player/draft.ts'
import { isHeardOut, whenHeardOut } from './player/listener.ts'
import { requestPlayback } from './player/pending-playback.ts'
import { detailOf, type ScreenService } from './services.ts'

const FIELD = 'textarea, [contenteditable="true"], input:not([type="range"], [type="checkbox"])'

/** The user is writing: no automatic navigation. */
const isWriting = (payload_reference: string): boolean =>
  isDrafted(payload_reference) ||
  document.querySelector(MODAL) !== null ||
  document.activeElement?.matches(FIELD) === true

/** Opens and plays the next recording after one ends, where the user enabled autoplay. */
export function usePlayOn(payload_reference: string, service: ScreenService): void {
  const navigate = useNavigate()
  const { payload_types } = useProfile()
  const goOn = async () => {
    /** Neither navigating, playing again, nor writing. */
    const isUnchanged = () => isHeardOut(payload_reference) && !isWriting(payload_reference)
    if (!isUnchanged()) return
    const { nextToPlay, alertOn } = await import('./next-to-play.ts')
    const next = await nextToPlay(payload_reference, payload_types)
    if (!isUnchanged()) return
    alertOn(next)
    if (next === undefined) return
    requestPlayback(next.payload_reference)
    await navigate(detailOf(service, next.payload_reference))
  }
  const latest = useRef(goOn)
  useEffect(() => {
    latest.current = goOn
  })
  useEffect(
    () =>
      whenHeardOut((heard) => {
        if (heard === payload_reference) void latest.current()
      }),
    [payload_reference],
  )
}
