/** All benches, in the order in which they run. */
export const BENCH_NAMES = [
  'lists',
  'contacts',
  'range',
  'words',
  'access',
  'fleet',
  'audit',
  'reports',
  'verify',
  'retention',
  'ingest',
  'report-ingest',
  'portal',
  'review',
  'map',
  'transfers',
] as const

export type BenchName = (typeof BENCH_NAMES)[number]
