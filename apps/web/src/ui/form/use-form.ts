import { ApiProblem } from '@custodia/client'
import type { ProblemCode } from '@custodia/contract'
import { useLingui } from '@lingui/react'
import { useMutation } from '@tanstack/react-query'
import {
  type ChangeEvent,
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { failureText, faultText, type FieldFault } from '../../api/failure-text.ts'
import { type Refusal, statusFaults, textsAt } from './faults.ts'
import { type FieldLabels, named } from './labels.ts'

type TextEvent = ChangeEvent<HTMLInputElement> | ChangeEvent<HTMLTextAreaElement>

export interface FormOptions<Values, Saved> {
  /** Initial values, read once; `restart` sets others. */
  initial: Values
  /** Client-side validation, usually `shapeFaults(Input, values)`. */
  check?: (values: Values) => readonly FieldFault[]
  /** Saves. Undefined means not saved yet: a review awaits confirmation. */
  save: (values: Values) => Promise<Saved | undefined>
  onSaved: (saved: Saved) => void
  /** Field of a problem without faults: `{ already_exists: 'group_reference' }`. */
  fieldOf?: Partial<Record<ProblemCode, string>>
  /** Field labels, for texts and the summary. */
  labels?: FieldLabels
}

export interface Form<Values> {
  values: Values
  set: (changes: Partial<Values>) => void
  isDirty: boolean
  /** Current value as a ref, for guards that run between renders. */
  hasUnsaved: () => boolean
  isSaving: boolean
  /** Remaining faults of the last attempt. */
  faults: readonly FieldFault[]
  labels: FieldLabels
  /** Rejection cause without a field. */
  failure: string | undefined
  /** Edit conflict (412): the record must be read again. */
  isConflict: boolean
  /** Error text of the field at `path`; undefined for none. */
  errorAt: (path: string) => string | undefined
  /** Props of an input with `value` and `onChange`. */
  field: <Name extends keyof Values & string>(name: Name) => FieldProps<Values[Name]>
  /** Props of a switch or checkbox. */
  flag: (name: keyof Values & string) => FlagProps
  submit: () => void
  /** Drops changes and faults. */
  restart: (values: Values) => void
  /** Drops unsaved changes: the user confirmed leaving. */
  abandon: () => void
  /** Call after the record is deleted: drops unsaved changes, then `leave`. */
  leaving: (leave: () => void) => () => void
  element: RefObject<HTMLFormElement | null>
}

export interface FieldProps<Value> {
  name: string
  value: Value
  onChange: (next: Value | TextEvent) => void
  error: string | undefined
}
export interface FlagProps {
  name: string
  checked: boolean
  onChange: (event: ChangeEvent<HTMLInputElement>) => void
}

const isEvent = (next: unknown): next is TextEvent =>
  typeof next === 'object' && next !== null && 'currentTarget' in next

/** Form state: values, client and server faults, saving, conflicts. After a rejection the first faulty field gets the focus. */
export function useForm<Values extends object, Saved>(options: FormOptions<Values, Saved>): Form<Values> {
  const { i18n } = useLingui()
  const [start, setStart] = useState(options.initial)
  const [values, setValues] = useState(options.initial)
  const [refusal, setRefusal] = useState<Refusal<Values>>()
  const [refusals, setRefusals] = useState(0)
  const element = useRef<HTMLFormElement>(null)
  const isDirty = JSON.stringify(values) !== JSON.stringify(start)
  const unsaved = useRef(false)
  // Before the paint: Escape pressed on what is visible must ask.
  useLayoutEffect(() => {
    unsaved.current = isDirty
  }, [isDirty])

  const { labels = {} } = options
  const faults =
    refusal === undefined ? [] : statusFaults(refusal, values, (now) => options.check?.(now) ?? [])
  const refuse = (found: Refusal<Values>) => {
    setRefusal(found)
    setRefusals((count) => count + 1)
  }
  const saving = useMutation({
    mutationFn: (sent: Values) => options.save(sent),
    // Faults show at their fields; all other causes also show at the bottom of the screen (spec section 8).
    meta: { silent: (error) => faultsOf(error, options.fieldOf ?? {}).length > 0 },
    onSuccess: (saved, sent) => {
      setRefusal(undefined)
      if (saved === undefined) return
      unsaved.current = false
      setStart(sent)
      options.onSaved(saved)
    },
    onError: (error, sent) =>
      refuse({ faults: faultsOf(error, options.fieldOf ?? {}), of: sent, isOwn: false }),
  })
  useEffect(() => {
    if (refusals === 0) return
    // The summary renders with the next frame.
    const frame = requestAnimationFrame(() => {
      const form = element.current
      const faulty = form?.querySelector<HTMLElement>('[aria-invalid="true"]:not([disabled])')
      ;(faulty ?? form?.querySelector<HTMLElement>('[data-form-summary]'))?.focus()
    })
    return () => cancelAnimationFrame(frame)
  }, [refusals])

  const { error, reset } = saving
  const abandon = useCallback(() => {
    unsaved.current = false
  }, [])
  const set = useCallback(
    (changes: Partial<Values>) => setValues((before) => ({ ...before, ...changes })),
    [],
  )
  const errorAt = (path: string) => {
    const texts = textsAt(faults, path, values, (fault) => faultText(named(fault, labels), i18n))
    return texts.length === 0 ? undefined : texts.join(' ')
  }
  return {
    values,
    set,
    isDirty,
    hasUnsaved: useCallback(() => unsaved.current, []),
    isSaving: saving.isPending,
    faults,
    labels,
    failure: error === null || (refusal?.faults.length ?? 0) > 0 ? undefined : failureText(error, i18n),
    isConflict: error instanceof ApiProblem && error.code === 'changed_meanwhile',
    errorAt,
    field: (name) => ({
      name,
      value: values[name],
      onChange: (next) =>
        set({ [name]: isEvent(next) ? next.currentTarget.value : next } as unknown as Partial<Values>),
      error: errorAt(name),
    }),
    flag: (name) => ({
      name,
      checked: values[name] === true,
      onChange: (event) => set({ [name]: event.currentTarget.checked } as unknown as Partial<Values>),
    }),
    submit: () => {
      if (saving.isPending) return
      const found = options.check?.(values) ?? []
      reset()
      if (found.length > 0) refuse({ faults: found, of: values, isOwn: true })
      else saving.mutate(values)
    },
    restart: useCallback(
      (next: Values) => {
        unsaved.current = false
        setStart(next)
        setValues(next)
        setRefusal(undefined)
        reset()
      },
      [reset],
    ),
    abandon,
    leaving: (leave) => () => {
      abandon()
      leave()
    },
    element,
  }
}

/** Faults of a rejection, or the one that its code means for a field. */
function faultsOf(error: unknown, fieldOf: Partial<Record<ProblemCode, string>>): readonly FieldFault[] {
  if (!(error instanceof ApiProblem)) return []
  if (error.faults.length > 0) return error.faults
  const { code, message } = error
  const path = code && fieldOf[code]
  return code === undefined || path === undefined ? [] : [{ path, code, message }]
}
