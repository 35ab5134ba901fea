/** A known flaky test, until its cause is found. */
interface UnsteadyTest {
  /** File and name. */
  test: string
  cause: string
  /** Date of the entry, YYYY-MM-DD. Entries are removed within a week. */
  since: string
  /** The issue that tracks it. */
  issue: number
}

/** At most five. A failure of a listed test still fails the run: the list only shows that its cause is under investigation. */
export const UNSTEADY: readonly UnsteadyTest[] = []
