import type { EventData } from 'node:test'

/** What a part of `npm test` found. `failures` names each thing that `failed` counts. */
export interface Counts {
  passed: number
  failed: number
  skipped: string[]
  failures: string[]
}

/** What Playwright's JSON report says, as far as it is counted. */
export interface JourneyReport {
  suites?: JourneySuite[]
  /** What went wrong outside any journey: a file that does not load, a server that does not start. */
  errors?: { message?: string }[]
}

interface JourneySuite {
  title: string
  suites?: JourneySuite[]
  specs?: { title: string; tests: { status: 'expected' | 'unexpected' | 'flaky' | 'skipped' }[] }[]
}

export const noCounts = (): Counts => ({ passed: 0, failed: 0, skipped: [], failures: [] })

/** Adds what another part found. */
export function addCounts(counts: Counts, more: Counts): void {
  counts.passed += more.passed
  counts.failed += more.failed
  counts.skipped.push(...more.skipped)
  counts.failures.push(...more.failures)
}

/** Counts one thing that either holds or fails. */
export function countOne(counts: Counts, name: string, isGood: boolean): void {
  if (isGood) counts.passed++
  else countFailure(counts, name)
}

/** Counts a failure by its name. */
export function countFailure(counts: Counts, name: string): void {
  counts.failed++
  counts.failures.push(name)
}

/** Counts a `test:pass` of node:test. Suites are not counted: their tests are. */
export function countPass(counts: Counts, { name, skip, details }: EventData.TestPass): void {
  if (details.type === 'suite') return
  if (skip === undefined || skip === false) counts.passed++
  else counts.skipped.push(typeof skip === 'string' ? `${name}: ${skip}` : name)
}

/**
 * Counts a `test:fail` of node:test. A suite that failed because of its tests is not counted, because they are. A suite
 * whose body or hook threw, or that took too long, is counted: nothing else reports it.
 *
 * @param path the test file, as the summary names it
 */
export function countFail(counts: Counts, { name, details }: EventData.TestFail, path: string): void {
  if (details.type === 'suite' && failureType(details.error) === 'subtestsFailed') return
  countFailure(counts, `${path}: ${name}${reasonOf(details.error)}`)
}

/** What went wrong, in one line: the end of a long run shows more than a name. */
function reasonOf(error: Error): string {
  const cause = error.cause instanceof Error ? error.cause.message : String(error.cause ?? error.message)
  const line = cause.replaceAll(/\s+/g, ' ').trim().slice(0, REASON)
  return line === '' ? '' : ` (${line})`
}

const REASON = 240

/** node:test's own word (`kSubtestsFailed` and its like), which its types leave out. */
function failureType(error: object): unknown {
  return 'failureType' in error ? error.failureType : undefined
}

/**
 * Counts Playwright's report: each journey, each error outside of them, and a failure where the program says that it
 * failed and the report does not say why, or where no journey ran. No `report`: the program wrote none.
 */
export function countJourneys(report: JourneyReport | undefined, exitCode: number): Counts {
  const counts = noCounts()
  const visit = (suite: JourneySuite, path: string) => {
    for (const { title, tests } of suite.specs ?? []) {
      const name = `${path} › ${title}`
      for (const { status } of tests) {
        if (status === 'skipped') counts.skipped.push(name)
        // A journey that passed only when it was repeated has failed.
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
