import { HOT_NUMBER } from './fill.ts'

/** People of the measurement: one sees everything, one a fifth of the groups. */
export const PEOPLE = ['unrestricted', 'two-hundred-groups'] as const
export type Person = (typeof PEOPLE)[number]

/** What is asked, without the place where a page begins. */
export interface ListCase {
  name: string
  query: Record<string, string>
  /** Pages of 50 before the one that is measured. */
  depth: number
}

export const LIST_CASES: readonly ListCase[] = [
  { name: 'first page', query: { service: 'calls' }, depth: 0 },
  { name: 'deep page', query: { service: 'calls' }, depth: 10_000 },
  { name: 'oldest first', query: { service: 'calls', order: 'oldest' }, depth: 0 },
  { name: 'number', query: { service: 'calls', number: HOT_NUMBER }, depth: 0 },
  ...Object.entries({
    'number ending, frequent': '0000',
    'number ending, a few': '149 876',
    'number ending, none': '999999',
    'name, most frequent': 'mam',
    'name, frequent': 'jo',
    'name, a few': 'zuzup',
    'name, none': 'xyz',
    'two words': 'mama jo',
  }).map(([name, search]) => ({ name, query: { service: 'calls', search }, depth: 0 })),
  {
    name: 'total',
    query: { service: 'calls', type: 'total', from: '2025-03-05-101500', to: '2026-08-20-183000' },
    depth: 0,
  },
]
