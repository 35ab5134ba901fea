import { foldText, includesText } from '../../ui/text.ts'

/** Letters at the end that a plural may change: `função` and `funções`. */
const ENDING = 3
/** Minimum prefix length; shorter ones match anything. */
const SHORTEST = 3

/**
 * Commands whose name contains `query`, ignoring accents; without any, those with a similar prefix, so that a singular
 * finds its plural.
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
