import { foldText, includesText } from '../../ui/find-text.ts'

/** Letters at the end that a plural may change: `função` and `funções`. */
const ENDING = 3
/** A beginning shorter than this would find anything. */
const SHORTEST = 3

/**
 * The commands whose name has `query` in it, whatever the accents; without any, those that begin like it, so that a
 * singular finds its plural.
 */
export function findCommands<Command extends { label?: string }>(
  query: string,
  commands: readonly Command[],
): Command[] {
  const having = (search: string) => commands.filter(({ label = '' }) => includesText(label, search))
  const found = having(query)
  const beginning = foldText(query.trim()).slice(0, -ENDING)
  return found.length > 0 || beginning.length < SHORTEST ? found : having(beginning)
}
