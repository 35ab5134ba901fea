import { parseArgs, type ParseArgsOptionsConfig } from 'node:util'

/** Exit codes of every command. A command's help documents further ones. */
export const EXIT = { done: 0, failed: 1, usage: 2 } as const

/** The command line is wrong. The program prints the message with the usage of the command and exits with `EXIT.usage`. */
export class UsageError extends Error {}

/** One command of the program `custodia`. */
export interface Command {
  /** Its command lines and options, as `--help` prints them. */
  usage: string
  /** Runs it and resolves to the exit code. Throws UsageError for a wrong command line. */
  run(argv: readonly string[]): Promise<number>
}

type ParsedArguments<Options extends ParseArgsOptionsConfig> = ReturnType<
  typeof parseArgs<{ options: Options; allowPositionals: true }>
>

/** Defines a command by its options and its function. */
export function defineCommand<const Options extends ParseArgsOptionsConfig>(command: {
  usage: string
  options: Options
  run(values: ParsedArguments<Options>['values'], positionals: string[]): Promise<number>
}): Command {
  const { usage, options } = command
  return {
    usage,
    async run(argv) {
      const { values, positionals } = parsed(() =>
        parseArgs({ args: [...argv], options, allowPositionals: true }),
      )
      return command.run(values, positionals)
    },
  }
}

function parsed<T>(parse: () => T): T {
  try {
    return parse()
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new UsageError(error.message)
  }
}

/** The value of an option that must be there. Throws UsageError. */
export function required(value: string | undefined, name: string): string {
  if (value === undefined || value === '') throw new UsageError(`--${name} is missing`)
  return value
}

/** The positional arguments when there are exactly `count`. Throws UsageError. */
export function exactly(count: number, positionals: readonly string[]): string[] {
  if (positionals.length !== count || positionals.includes(''))
    throw new UsageError(
      positionals.length > count ? `what is ${positionals[count]}?` : 'an argument is missing',
    )
  return [...positionals]
}

/** The time in epoch seconds. */
export const epochSeconds = (): number => Math.floor(Date.now() / 1000)
