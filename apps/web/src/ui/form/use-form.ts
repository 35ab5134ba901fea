import { ApiProblem } from '@custodia/client'
import type { ProblemCode } from '@custodia/contract'
import { useLingui } from '@lingui/react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import {
  type ChangeEvent,
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { sentWhenReachable } from '../../api/connection.ts'
import { failureText, faultText, type FieldFault } from '../../api/failure-text.ts'
import { type Conflict, getConflict, isConflict, type EditedRecord, withValuesOf } from './conflict.ts'
import { type Refusal, statusFaults, textsAt } from './faults.ts'
import { type FieldLabels, type FieldTexts, named } from './labels.ts'
import { useUnsaved } from './use-unsaved.ts'

type TextEvent = ChangeEvent<HTMLInputElement> | ChangeEvent<HTMLTextAreaElement>

export interface FormOptions<Values, Saved> {
  /** Initial values, read once; `restart` sets others. */
  initial: Values
  /** Client-side validation, usually `shapeFaults(Input, values)`. */
  check?: (values: Values) => readonly FieldFault[]
  /** Saves. Undefined means not saved yet: a review awaits confirmation. */
  save: (values: Values, version: string | undefined) => Promise<Saved | undefined>
  /** The record to edit: `save` gets its version, and an edit conflict is resolved field by field. */
  stored?: EditedRecord<Values> | undefined
  onSaved: (saved: Saved) => void
  /** Field of a problem without faults: `{ already_exists: 'group_reference' }`. */
  getField?: Partial<Record<ProblemCode, string>>
  /** Field labels, for texts and the summary. */
  labels?: FieldLabels
  /** How values read in an edit conflict, where they are no texts of people. */
  texts?: FieldTexts
  /** Lists whose items have fixed places: an edit conflict compares each item. */
  fixedLists?: readonly string[]
}

export interface Form<Values> {
  values: Values
  set: (changes: Partial<Values>) => void
  isDirty: boolean
  /** Current value as a ref, for guards that run between renders. */
  hasUnsaved: () => boolean
  isSaving: boolean
  /** Without a connection the save waits, and is sent when the connection is back. */
  isWaiting: boolean
  /** Remaining faults of the last attempt. */
  faults: readonly FieldFault[]
  labels: FieldLabels
  texts: FieldTexts
  /** Rejection cause without a field. */
  failure: string | undefined
  /** Edit conflict (412) that the form cannot resolve: the record must be read again. */
  isConflict: boolean
  /** What another user changed during the edit; saving again writes over it. */
  conflict: Conflict<Values> | undefined
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
  const element = useRef<HTMLFormElement>(null)
  const { refusal, refuse, accept } = useRefusal<Values>(element)
  const isDirty = JSON.stringify(values) !== JSON.stringify(start)
  const { labels = {}, texts = {} } = options
  const faults =
    refusal === undefined ? [] : statusFaults(refusal, values, (now) => options.check?.(now) ?? [])
  const { conflict, version, resolve } = useConflict(options, ({ theirs, taken }) => {
    setStart(theirs)
    setValues((before) => withValuesOf(before, theirs, taken))
  })
  const saving = useSaving(options, version, {
    conflict: (sent) => resolve(start, sent),
    saved: (saved, sent) => keep(saved, sent),
    refused: refuse,
  })
  const keep = (saved: Saved | undefined, sent: Values) => {
    accept()
    if (saved === undefined) return
    abandon()
    setStart(sent)
    options.onSaved(saved)
  }

  const { error, reset } = saving
  // A second click comes before the page is drawn again.
  const isSending = useRef(false)
  const send = async () => {
    isSending.current = true
    // The form itself shows every cause.
    await saving.mutateAsync(values).catch(() => {})
    isSending.current = false
  }
  const { hasUnsaved, abandon } = useUnsaved(isDirty, saving.isPending)
  useWithdrawal(saving.variables)
  const set = useCallback(
    (changes: Partial<Values>) => setValues((before) => ({ ...before, ...changes })),
    [],
  )
  const errorAt = (path: string) =>
    textsAt(faults, path, values, (fault) => faultText(named(fault, labels), i18n)).join(' ') || undefined
  return {
    values,
    set,
    isDirty,
    hasUnsaved,
    isSaving: saving.isPending,
    isWaiting: saving.isPaused,
    faults,
    labels,
    texts,
    failure:
      error === null || conflict !== undefined || (refusal?.faults.length ?? 0) > 0
        ? undefined
        : failureText(error, i18n),
    isConflict: isConflict(error),
    conflict: error === null ? undefined : conflict,
    errorAt,
    ...fieldProps(values, set, errorAt),
    submit: () => {
      if (isSending.current) return
      const found = options.check?.(values) ?? []
      reset()
      if (found.length > 0) refuse({ faults: found, of: values, isOwn: true })
      else void send()
    },
    restart: useRestart({ abandon, accept, reset, setStart, setValues }),
    abandon,
    leaving: (leave) => () => {
      abandon()
      leave()
    },
    element,
  }
}

/** Drops changes and faults, and begins with other values. */
function useRestart<Values>(form: {
  abandon: () => void
  accept: () => void
  reset: () => void
  setStart: (values: Values) => void
  setValues: (values: Values) => void
}) {
  const { abandon, accept, reset, setStart, setValues } = form
  return useCallback(
    (next: Values) => {
      abandon()
      setStart(next)
      setValues(next)
      accept()
      reset()
    },
    [abandon, accept, reset, setStart, setValues],
  )
}

/** Saves values; a rejection names the fields that it concerns. */
function useSaving<Values extends object, Saved>(
  { save, getField = {} }: FormOptions<Values, Saved>,
  version: string | undefined,
  on: {
    conflict: (sent: Values) => Promise<void>
    saved: (saved: Saved | undefined, sent: Values) => void
    refused: (found: Refusal<Values>) => void
  },
) {
  return useMutation({
    ...sentWhenReachable(async (sent: Values) => {
      try {
        return await save(sent, version)
      } catch (error) {
        if (isConflict(error)) await on.conflict(sent)
        throw error
      }
    }),
    // The form itself shows every cause.
    meta: { silent: true },
    onSuccess: (saved, sent) => on.saved(saved, sent),
    onError: (error, sent) => on.refused({ faults: getFaults(error, getField), of: sent, isOwn: false }),
  })
}

/** The conflict of the last save, and the version that the next one replaces. */
function useConflict<Values extends object>(
  { stored, fixedLists }: Pick<FormOptions<Values, never>, 'stored' | 'fixedLists'>,
  onFound: (found: Conflict<Values>) => void,
) {
  const [version, setVersion] = useState(stored?.version)
  const [conflict, setConflict] = useState<Conflict<Values>>()
  const resolve = async (start: Values, mine: Values): Promise<void> => {
    if (stored === undefined) return
    const newest = await stored.read()
    const found = getConflict(start, mine, newest, fixedLists)
    setVersion(newest.version)
    setConflict(found)
    onFound(found)
  }
  return { conflict, version, resolve }
}

/** Withdraws a save that still waits for the connection when its form closes. */
function useWithdrawal(sent: unknown): void {
  const cache = useQueryClient().getMutationCache()
  const latest = useRef(sent)
  useLayoutEffect(() => {
    latest.current = sent
  }, [sent])
  useEffect(
    () => () => {
      const { current } = latest
      if (current === undefined) return
      const waiting = cache.find({ predicate: ({ state }) => state.isPaused && state.variables === current })
      if (waiting) cache.remove(waiting)
    },
    [cache],
  )
}

/** Last rejection. Each one moves the focus to the first faulty field, or to the summary. */
function useRefusal<Values>(element: RefObject<HTMLFormElement | null>) {
  const [refusal, setRefusal] = useState<Refusal<Values>>()
  const [refusals, setRefusals] = useState(0)
  useEffect(() => {
    if (refusals === 0) return
    // The summary renders with the next frame.
    const frame = requestAnimationFrame(() => {
      const form = element.current
      const faulty = form?.querySelector<HTMLElement>('[aria-invalid="true"]:not([disabled])')
      ;(faulty ?? form?.querySelector<HTMLElement>('[data-form-summary]'))?.focus()
    })
    return () => cancelAnimationFrame(frame)
  }, [element, refusals])
  return {
    refusal,
    refuse: (found: Refusal<Values>) => {
      setRefusal(found)
      setRefusals((count) => count + 1)
    },
    accept: useCallback(() => setRefusal(undefined), []),
  }
}

/** Props of inputs, by the names of their values. */
function fieldProps<Values extends object>(
  values: Values,
  set: Form<Values>['set'],
  errorAt: (path: string) => string | undefined,
): Pick<Form<Values>, 'field' | 'flag'> {
  return {
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
  }
}

/** Faults of a rejection, or the one that its code means for a field. */
function getFaults(error: unknown, getField: Partial<Record<ProblemCode, string>>): readonly FieldFault[] {
  if (!(error instanceof ApiProblem)) return []
  if (error.faults.length > 0) return error.faults
  const { code, message } = error
  const path = code && getField[code]
  return code === undefined || path === undefined ? [] : [{ path, code, message }]
}
