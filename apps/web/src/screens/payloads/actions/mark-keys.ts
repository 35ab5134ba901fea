import { mayPerhaps } from '../../../api/kept-session.ts'

type Marking = typeof import('./marking.ts')

/** A key of a list that marks. The server decides; a role without marks ignores the key. */
export const markKey =
  (run: (marking: Marking, references: readonly string[]) => Promise<void>) =>
  (references: readonly string[] = []): void => {
    if (mayPerhaps('payloads.marks:create'))
      void import('./marking.ts').then((marking) => run(marking, references))
  }
