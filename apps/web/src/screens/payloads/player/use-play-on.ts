import { i18n } from '@lingui/core'
import { msg, plural } from '@lingui/core/macro'
import { useEffect, useRef } from 'react'
import { noticeDone } from '../../../api/notices.ts'
import { MODAL } from '../../../ui/use-keys.ts'
import { isDrafted } from './draft.ts'
import { isHeardOut, whenHeardOut } from './listener.ts'
import { requestPlayback } from './pending-playback.ts'

/** Next playable recording, and the number of skipped ones. */
export interface NextRecording {
  payload_reference: string
  passed: number
}

const FIELD = 'textarea, [contenteditable="true"], input:not([type="range"], [type="checkbox"])'

/** The user is writing: no automatic navigation. */
const isWriting = (payload_reference: string): boolean =>
  isDrafted(payload_reference) ||
  document.querySelector(MODAL) !== null ||
  document.activeElement?.matches(FIELD) === true

/** Reports the end of the list, or skipped items. */
function alertOn(next: NextRecording | undefined): void {
  if (next === undefined) return noticeDone(i18n._(msg`No playable recording follows in the list`))
  const { passed } = next
  if (passed > 0)
    noticeDone(
      i18n._(
        msg`${plural(passed, { one: '# recording was skipped: it cannot be played', other: '# recordings were skipped: they cannot be played' })}`,
      ),
    )
}

/** Shows and plays the next recording after one ends, where the user enabled autoplay. */
export function usePlayOn(
  payload_reference: string,
  way: {
    find: () => Promise<NextRecording | undefined>
    show: (payload_reference: string) => unknown
  },
): void {
  const goOn = async () => {
    /** Neither navigating, playing again, nor writing. */
    const isUnchanged = () => isHeardOut(payload_reference) && !isWriting(payload_reference)
    if (!isUnchanged()) return
    const next = await way.find()
    if (!isUnchanged()) return
    alertOn(next)
    if (next === undefined) return
    requestPlayback(next.payload_reference)
    await way.show(next.payload_reference)
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
