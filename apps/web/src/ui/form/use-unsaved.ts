import { useCallback, useEffect, useLayoutEffect, useRef } from 'react'
import { registerInput } from '../../api/unsaved-input.ts'

/** Unsaved values of a form, for guards that run between renders and for the end of the session. */
export function useUnsaved(isDirty: boolean, isSaving = false) {
  const unsaved = useRef(false)
  const saving = useRef(false)
  // Before the paint: Escape pressed on what is visible must ask.
  useLayoutEffect(() => {
    unsaved.current = isDirty
  }, [isDirty])
  useLayoutEffect(() => {
    saving.current = isSaving
  }, [isSaving])
  const hasUnsaved = useCallback(() => unsaved.current, [])
  const abandon = useCallback(() => {
    unsaved.current = false
    saving.current = false
  }, [])
  useEffect(
    () => registerInput({ has: () => unsaved.current || saving.current, discard: abandon }),
    [abandon],
  )
  return { hasUnsaved, abandon }
}
