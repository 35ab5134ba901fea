import { type Fault, FAULTS } from '@custodia/contract'

/** Fault of an empty required field; `field` names it. */
export const faultIfEmpty = (path: string, value: string, field = path): Fault[] =>
  value.trim() === ''
    ? [{ path, code: 'required', message: FAULTS.required['en-GB'], values: { field } }]
    : []
