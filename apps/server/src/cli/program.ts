import { type Command, EXIT, UsageError } from './command.ts'

const COMMANDS: Readonly<Record<string, { summary: string; load(): Promise<Command> }>> = {
  start: { summary: 'runs the server', load: async () => (await import('./start.ts')).start },
  api: { summary: 'runs portal and API alone', load: async () => (await import('./start.ts')).api },
  worker: { summary: 'runs jobs alone', load: async () => (await import('./start.ts')).worker },
  bootstrap: {
    summary: 'makes the account of the provider in a new installation',
    load: async () => (await import('./bootstrap.ts')).bootstrap,
  },
  tenant: {
    summary: 'creates, changes, suspends and resumes clients',
    load: async () => (await import('./tenant.ts')).tenant,
  },
  verify: {
    summary: 'checks the archive against its invariants',
    load: async () => (await import('./verify.ts')).verify,
  },
  backup: {
    summary: 'makes a backup while the server runs',
    load: async () => (await import('./backup.ts')).backup,
  },
  restore: { summary: 'restores a backup', load: async () => (await import('./restore.ts')).restoreCommand },
  keys: { summary: 'exports, imports and rotates keys', load: async () => (await import('./keys.ts')).keys },
  migrate: {
    summary: 'imports the files of a legacy platform',
    load: async () => (await import('./migrate.ts')).migrate,
  },
  'two-people': {
    summary: 'switches dual control off for an account that cannot decide any more',
    load: async () => (await import('./account-act.ts')).twoPeople,
  },
  'sealed-log': {
    summary: 'accepts that a sealed log contradicts a checkpoint',
    load: async () => (await import('./account-act.ts')).sealedLog,
  },
  'log-tiles': {
    summary: 'writes the sealed log of an account as tiles, for other programs',
    load: async () => (await import('./account-act.ts')).logTiles,
  },
  certificate: {
    summary: 'verifies a certificate of destruction or a reconciliation, offline',
    load: async () => (await import('./certificate.ts')).certificate,
  },
}

const WIDTH = Math.max(...Object.keys(COMMANDS).map(({ length }) => length))
const HELP = `custodia <command>

${Object.entries(COMMANDS)
  .map(([name, { summary }]) => `  ${name.padEnd(WIDTH)}  ${summary}`)
  .join('\n')}

custodia <command> --help describes a command. Settings are environment variables: docs/settings.md.
Exit codes: ${EXIT.done} done, ${EXIT.failed} refused or failed, ${EXIT.usage} wrong command line; more in the help of a command.`

/**
 * Runs the command that the arguments name; resolves to its exit code. Commands are loaded when they are called, so that
 * help and small commands do not load the server.
 */
export async function runProgram([name, ...argv]: readonly string[]): Promise<number> {
  if (name === '--help' || name === 'help') {
    console.log(HELP)
    return EXIT.done
  }
  const entry = name !== undefined && Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (!entry) {
    console.error(`${name === undefined ? '' : `custodia has no command ${name}.\n\n`}${HELP}`)
    return EXIT.usage
  }
  const command = await entry.load()
  if (argv.includes('--help')) {
    console.log(command.usage)
    return EXIT.done
  }
  try {
    return await command.run(argv)
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    console.error(`${error.message}\n\n${command.usage}`)
    return EXIT.usage
  }
}

/** The message with what caused it: why the database is not available. */
const getSentence = ({ message, cause }: Error): string =>
  cause instanceof Error && !message.includes(cause.message) ? `${message} (${cause.message})` : message

/** Prints one sentence for the operator; the stack helps only where the fault is ours. */
export function printFailure(error: unknown): void {
  const isOurs = error instanceof TypeError || error instanceof RangeError
  console.error(error instanceof Error && !isOurs ? getSentence(error) : error)
}
