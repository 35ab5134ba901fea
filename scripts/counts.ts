import type { EventData } from 'node:test'

/** Results of one part of `npm test`. `failures` names each failure that `failed` counts. */
export interface Counts {
  passed: number
  failed: number
  skipped: string[]
  failures: string[]
}

/** Fields of Playwright's JSON report that count. */
export interface JourneyReport {
  suites?: JourneySuite[]
  /** Errors outside a journey: a file that does not load, a server that does not start. */
  errors?: { message?: string }[]
}

interface JourneySuite {
  title: string
  suites?: JourneySuite[]
  specs?: { title: string; tests: { status: 'expected' | 'unexpected' | 'flaky' | 'skipped' }[] }[]
}

export const noCounts = (): Counts => ({ passed: 0, failed: 0, skipped: [], failures: [] })

/** Adds the results of another part. */
export function addCounts(counts: Counts, more: Counts): void {
  counts.passed += more.passed
  counts.failed += more.failed
  counts.skipped.push(...more.skipped)
  counts.failures.push(...more.failures)
}

/** Counts one check as passed or failed. */
export function countOne(counts: Counts, name: string, isGood: boolean): void {
  if (isGood) counts.passed++
  else countFailure(counts, name)
}

/** Counts a failure by its name. */
export function countFailure(counts: Counts, name: string): void {
  counts.failed++
  counts.failures.push(name)
}

/** Counts a `test:pass` of node:test. Suites do not count; their tests do. */
export function countPass(counts: Counts, { name, skip, details }: EventData.TestPass): void {
  if (details.type === 'suite') return
  if (skip === undefined || skip === false) counts.passed++
  else counts.skipped.push(typeof skip === 'string' ? `${name}: ${skip}` : name)
}

/**
 * Counts a `test:fail` of node:test. A suite counts only when its body or hook threw or timed out, because nothing
 * else reports that.
 * @param path the test file, as the summary names it
 */
export function countFail(counts: Counts, { name, details }: EventData.TestFail, path: string): void {
  if (details.type === 'suite' && failureType(details.error) === 'subtestsFailed') return
  countFailure(counts, `${path}: ${name}${getReason(details.error)}`)
}

/** Error in one line: the end of a long run shows more than a name. */
function getReason(error: Error): string {
  const cause = error.cause instanceof Error ? error.cause.message : String(error.cause ?? error.message)
  const line = cause.replaceAll(/\s+/g, ' ').trim().slice(0, REASON)
  return line === '' ? '' : ` (${line})`
}

const REASON = 240

/** node:test's failure type (`kSubtestsFailed` and others), which its types omit. */
function failureType(error: object): unknown {
  return 'failureType' in error ? error.failureType : undefined
}

/**
 * Counts Playwright's report: journeys, errors outside of them, and a failure that the report does not explain or a
 * run without journeys. No `report`: the program wrote none.
 */
export function countJourneys(report: JourneyReport | undefined, exitCode: number): Counts {
  const counts = noCounts()
  const visit = (suite: JourneySuite, path: string) => {
    for (const { title, tests } of suite.specs ?? []) {
      const name = `${path} › ${title}`
      for (const { status } of tests) {
        if (status === 'skipped') counts.skipped.push(name)
        // A journey that passed only on retry has failed.
        else countOne(counts, name, status === 'expected')
      }
    }
    for (const inner of suite.suites ?? []) visit(inner, `${path} › ${inner.title}`)
  }
  for (const suite of report?.suites ?? []) visit(suite, suite.title)
  for (const { message } of report?.errors ?? [])
    countFailure(counts, `journeys: ${message?.split('\n', 1)[0] ?? 'an error'}`)
  if (counts.failed === 0 && exitCode !== 0)
    countFailure(counts, `journeys: playwright ended with ${exitCode}`)
  if (counts.failed === 0 && counts.passed === 0) countFailure(counts, 'journeys: none ran')
  return counts
}
