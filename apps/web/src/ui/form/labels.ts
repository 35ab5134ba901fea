import type { FieldFault } from '../../api/failure-text.ts'

/**
 * Labels of form fields by path; `*` is an item's index, which a function receives from 1: `{ tags: 'Tags', 'tags.*':
 * (number) => `Tag ${number}` }`.
 */
export type FieldLabels = Readonly<Record<string, string | ((number: number) => string)>>

/** How the values of fields read, by the same paths. */
export type FieldTexts = Readonly<Record<string, (value: never) => string>>

/** Path of a field in labels and texts: an index is `*`. */
export const getPattern = (path: string): string => path.replace(/(?<=^|\.)\d+(?=\.|$)/g, '*')

/** Labels on the path to a field, from the outside in: `['Rule 2', 'Actions']`; an item represents its list. */
export function getNames(path: string, labels: FieldLabels): string[] {
  const parts = path.split('.')
  const names: string[] = []
  let isList = false
  for (const [index, part] of parts.entries()) {
    const isItem = /^\d+$/.test(part)
    const key = getPattern(parts.slice(0, index + 1).join('.'))
    const label = Object.hasOwn(labels, key) ? labels[key] : undefined
    if (label !== undefined) {
      if (isItem && isList) names.pop()
      names.push(typeof label === 'string' ? label : label(Number(part) + 1))
    }
    isList = label !== undefined && !isItem
  }
  return names
}

/** The fault with the form's label instead of the API's field name. */
export function named(fault: FieldFault, labels: FieldLabels): FieldFault {
  const name = getNames(fault.path, labels).at(-1)
  if (fault.code !== 'required' || name === undefined) return fault
  return { ...fault, values: { ...fault.values, field: name } }
}

/** A summary line; a text that names its field gets no second label. */
export function headed(fault: FieldFault, text: string, labels: FieldLabels): string {
  const names = getNames(fault.path, labels)
  const isNamed = fault.code === 'required' && names.length === 1
  const head = names.length === 0 ? fault.path : names.join(' – ')
  return isNamed || head === '' ? text : `${head}: ${text}`
}
