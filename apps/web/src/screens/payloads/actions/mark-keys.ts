import { mayPerhaps } from '../../../api/kept-session.ts'
import { runMark } from '../../../api/query-client.ts'
import type * as marking from './marking.ts'

type MarkingModule = typeof marking
type KeepSelected = (references: readonly string[]) => void

/** A key of a list that marks. The server decides; a role without marks ignores the key. */
export const markKey =
  (run: (marking: MarkingModule, references: readonly string[], keep?: KeepSelected) => Promise<void>) =>
  (references: readonly string[] = [], keep?: KeepSelected): void => {
    if (mayPerhaps('payloads.marks:create'))
      runMark(async () => run(await import('./marking.ts'), references, keep))
  }
