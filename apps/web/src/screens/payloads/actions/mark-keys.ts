import { mayPerhaps } from '../../../api/kept-session.ts'
import { noticeFailure } from '../../../api/notices.ts'
import type * as marking from './marking.ts'

type Marking = typeof marking

/** A key of a list that marks; failures appear as notices. The server decides; a role without marks ignores the key. */
export const markKey =
  (run: (marking: Marking, references: readonly string[]) => Promise<void>) =>
  (references: readonly string[] = []): void => {
    if (mayPerhaps('payloads.marks:create'))
      void import('./marking.ts').then((loaded) => run(loaded, references)).catch(noticeFailure)
  }
