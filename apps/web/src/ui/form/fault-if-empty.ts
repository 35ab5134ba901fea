import { type Fault, FAULTS } from '@custodia/contract'

/** The fault of a field that was left empty; `field` names it. */
export const faultIfEmpty = (path: string, value: string, field = path): Fault[] =>
  value.trim() === ''
    ? [{ path, code: 'required', message: FAULTS.required['en-GB'], values: { field } }]
    : []
