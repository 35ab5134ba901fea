/** A form, as far as the session and the reload rules need to know it. */
export interface UnsavedInput {
  /** Whether it holds text that is not saved, or a save is under way. */
  has: () => boolean
  /** The user or the server decided that the text is dropped: guards ask no more. */
  discard: () => void
}

const forms = new Set<UnsavedInput>()

/** Registers a form while it is mounted. */
export function registerInput(form: UnsavedInput): () => void {
  forms.add(form)
  return () => void forms.delete(form)
}

/** Whether any form of the page holds unsaved input. */
export const holdsInput = (): boolean => [...forms].some((form) => form.has())

/** Drops the input of all forms. */
export const discardInput = (): void => forms.forEach((form) => form.discard())
