import { HOT_NUMBER } from './fill.ts'

/** A query without the place where its page begins. */
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
