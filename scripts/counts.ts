import type { EventData } from 'node:test'

/** What a part of `npm test` found. `failures` names each thing that `failed` counts, `unsteady` what failed once and is counted as passed (`again.ts`). */
export interface Counts {
  passed: number
  failed: number
  skipped: string[]
  failures: Failure[]
  unsteady: string[]
}

export interface Failure {
  text: string
  /** The test file it is of; absent: it is of none that could be run alone. */
  file?: string
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

export const noCounts = (): Counts => ({ passed: 0, failed: 0, skipped: [], failures: [], unsteady: [] })

/** Counts a `test:pass` of node:test. Suites are not counted: their tests are. */
export function countPass(counts: Counts, { name, skip, details }: EventData.TestPass): void {
  if (details.type === 'suite') return
  if (skip === undefined || skip === false) counts.passed++
  else counts.skipped.push(typeof skip === 'string' ? `${name}: ${skip}` : name)
}

/**
 * Counts a `test:fail` of node:test. A suite that failed because of its tests is not counted, for they are; one whose
 * body or hook threw, or that took too long, is: nothing else tells of it. `path` is the file's, as it shall be named.
 */
export function countFail(counts: Counts, { name, details }: EventData.TestFail, path: string): void {
  if (details.type === 'suite' && failureType(details.error) === 'subtestsFailed') return
  counts.failed++
  counts.failures.push({ text: `${path}: ${name}${reasonOf(details.error)}`, file: path })
}

/** What went wrong, in one line: whoever reads only the end of a long run learns more than a name. */
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
  const fail = (text: string, file?: string) => {
    counts.failed++
    counts.failures.push({ text, ...(file === undefined ? {} : { file }) })
  }
  const visit = (suite: JourneySuite, path: string, file: string) => {
    for (const { title, tests } of suite.specs ?? []) {
      const name = `${path} › ${title}`
      for (const { status } of tests) {
        if (status === 'skipped') counts.skipped.push(name)
        else if (status === 'unexpected') fail(name, file)
        else counts.passed++
      }
    }
    for (const inner of suite.suites ?? []) visit(inner, `${path} › ${inner.title}`, file)
  }
  for (const suite of report?.suites ?? []) visit(suite, suite.title, suite.title)
  for (const { message } of report?.errors ?? [])
    fail(`journeys: ${message?.split('\n', 1)[0] ?? 'an error'}`)
  if (counts.failed === 0 && exitCode !== 0) fail(`journeys: playwright ended with ${exitCode}`)
  if (counts.failed === 0 && counts.passed === 0) fail('journeys: none ran')
  return counts
}
