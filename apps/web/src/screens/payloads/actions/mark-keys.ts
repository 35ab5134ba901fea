import { mayPerhaps } from '../../../api/kept-session.ts'
import { runMark } from '../../../api/query-client.ts'
import type * as marking from './marking.ts'

type MarkingModule = typeof marking
type KeepSelected = (references: readonly string[]) => void

/**
 * A key of a list that marks. The server decides; a role without marks ignores the key. Rows that were not marked stay
 * selected: those that `run` answers, or all after a failure.
 */
export const markKey =
  (run: (marking: MarkingModule, references: readonly string[]) => Promise<readonly string[] | void>) =>
  (references: readonly string[] = [], keep?: KeepSelected): void => {
    if (!mayPerhaps('payloads.marks:create')) return
    runMark(async () => {
      let left: readonly string[] | void = references
      try {
        left = await run(await import('./marking.ts'), references)
      } finally {
        if (left && left.length > 0) keep?.(left)
      }
    })
  }
