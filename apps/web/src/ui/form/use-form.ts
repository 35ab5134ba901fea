import { ApiProblem } from '@custodia/client'
import type { ProblemCode } from '@custodia/contract'
import { useLingui } from '@lingui/react'
import { useMutation } from '@tanstack/react-query'
import { type ChangeEvent, type RefObject, useCallback, useEffect, useRef, useState } from 'react'
import { failureText, faultText, type FieldFault } from '../../api/failure-text.ts'
import { type Refusal, statusFaults, textsAt } from './faults.ts'
import { type FieldLabels, named } from './labels.ts'

type TextEvent = ChangeEvent<HTMLInputElement> | ChangeEvent<HTMLTextAreaElement>

export interface FormOptions<Values, Saved> {
  /** Read once; `restart` begins anew with others. */
  initial: Values
  /** What is wrong before the server is asked: most often `shapeFaults(Input, values)`. */
  check?: (values: Values) => readonly FieldFault[]
  /** Saves. An answer of undefined says that nothing was saved yet: a review waits for the person's word. */
  save: (values: Values) => Promise<Saved | undefined>
  onSaved: (saved: Saved) => void
  /** The field to which a problem without faults belongs: `{ already_exists: 'group_reference' }`. */
  fieldOf?: Partial<Record<ProblemCode, string>>
  /** What the fields are called on screen, for texts and the summary. */
  labels?: FieldLabels
}

export interface Form<Values> {
  values: Values
  set: (changes: Partial<Values>) => void
  isDirty: boolean
  /** The same, as of this moment, for guards that run between renders. */
  hasUnsaved: () => boolean
  isSaving: boolean
  /** What was refused at the last try and is not corrected yet. */
  faults: readonly FieldFault[]
  labels: FieldLabels
  /** The cause of a refusal that belongs to no field. */
  failure: string | undefined
  /** Somebody else saved meanwhile (412): only reading it again helps. */
  isConflict: boolean
  /** What stands below the field at `path`; undefined when it is fine. */
  errorAt: (path: string) => string | undefined
  /** Properties of a text field, a select or another input with `value` and `onChange`. */
  field: <Name extends keyof Values & string>(name: Name) => FieldProps<Values[Name]>
  /** Properties of a switch or checkbox. */
  flag: (name: keyof Values & string) => FlagProps
  submit: () => void
  /** Forgets changes and faults. */
  restart: (values: Values) => void
  /** Lets go of unsaved changes: the person chose to leave. */
  abandon: () => void
  /** What to call where the record is gone: lets go of unsaved changes, then `leave`. */
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

/**
 * The state of a form: values, faults of shape and of the server at their fields, saving, conflicts. After a refusal
 * the focus goes to the first faulty field.
 */
export function useForm<Values extends object, Saved>(options: FormOptions<Values, Saved>): Form<Values> {
  const { i18n } = useLingui()
  const [start, setStart] = useState(options.initial)
  const [values, setValues] = useState(options.initial)
  const [refusal, setRefusal] = useState<Refusal<Values>>()
  const [refusals, setRefusals] = useState(0)
  const element = useRef<HTMLFormElement>(null)
  const isDirty = JSON.stringify(values) !== JSON.stringify(start)
  const unsaved = useRef(false)
  useEffect(() => {
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
    // Faults stand at their fields; every other cause is told at the bottom of the screen too (spec section 8).
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
    // The summary of a cause without faults comes with the next frame.
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

/** The faults that a refusal names, or the one that its code means for a field. */
function faultsOf(error: unknown, fieldOf: Partial<Record<ProblemCode, string>>): readonly FieldFault[] {
  if (!(error instanceof ApiProblem)) return []
  if (error.faults.length > 0) return error.faults
  const { code, message } = error
  const path = code && fieldOf[code]
  return code === undefined || path === undefined ? [] : [{ path, code, message }]
}
