import { foldText, includesText } from '../../ui/text.ts'

/** Letters at the end that a plural may change: `função` and `funções`. */
const ENDING = 3
/** Minimum prefix length; shorter ones match anything. */
const SHORTEST = 3

interface CommandText {
  label?: string
  /** Other words for it, in both languages. */
  words?: string | undefined
}

/**
 * Commands whose name contains `query`, ignoring accents, then those of which another word begins with it; without
 * any, those with a word of a similar beginning, so that a singular finds its plural.
 */
export function findCommands<Command extends CommandText>(
  query: string,
  commands: readonly Command[],
): Command[] {
  const typed = foldText(query.trim())
  const named = commands.filter(({ label = '' }) => includesText(label, query))
  const known =
    typed.length < SHORTEST
      ? []
      : commands.filter(
          (command) => !named.includes(command) && ` ${foldText(command.words ?? '')}`.includes(` ${typed}`),
        )
  const found = [...named, ...known]
  const beginning = typed.slice(0, -ENDING)
  if (found.length > 0 || beginning.length < SHORTEST) return found
  return commands.filter(({ label = '' }) => ` ${foldText(label)}`.includes(` ${beginning}`))
}
