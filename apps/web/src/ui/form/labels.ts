import type { FieldFault } from '../../api/failure-text.ts'

/**
 * What the fields of a form are called, by path; `*` stands for the place of an item of a list, which a function names
 * by its number from 1: `{ tags: 'Tags', 'tags.*': (number) => `Tag ${number}` }`.
 */
export type FieldLabels = Readonly<Record<string, string | ((number: number) => string)>>

/** The names that lead to a field, from the outside in: `['Rule 2', 'Actions']`; an item stands for its list. */
export function namesOf(path: string, labels: FieldLabels): string[] {
  const parts = path.split('.')
  const names: string[] = []
  let isList = false
  for (const [index, part] of parts.entries()) {
    const isItem = /^\d+$/.test(part)
    const place = parts.slice(0, index + 1).map((each) => (/^\d+$/.test(each) ? '*' : each))
    const key = place.join('.')
    const label = Object.hasOwn(labels, key) ? labels[key] : undefined
    if (label !== undefined) {
      if (isItem && isList) names.pop()
      names.push(typeof label === 'string' ? label : label(Number(part) + 1))
    }
    isList = label !== undefined && !isItem
  }
  return names
}

/** The fault, speaking of its field as the form does instead of as the wire does. */
export function named(fault: FieldFault, labels: FieldLabels): FieldFault {
  const name = namesOf(fault.path, labels).at(-1)
  if (fault.code !== 'required' || name === undefined) return fault
  return { ...fault, values: { ...fault.values, field: name } }
}

/** A line for a summary above the form; a text that names the field itself is not headed by it once more. */
export function headed(fault: FieldFault, text: string, labels: FieldLabels): string {
  const names = namesOf(fault.path, labels)
  const isSaid = fault.code === 'required' && names.length === 1
  const head = names.length === 0 ? fault.path : names.join(' – ')
  return isSaid || head === '' ? text : `${head}: ${text}`
}
