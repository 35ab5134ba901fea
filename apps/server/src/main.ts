/**
 * The program `custodia`: everything that an operator runs, in the image, as a service and in a checkout. Commands are loaded when they
 * are called, so that help and small commands do not load the server.
 */
import { type Command, EXIT, UsageError } from './cli/command.ts'

const COMMANDS: Readonly<Record<string, { summary: string; load(): Promise<Command> }>> = {
  start: {
    summary: 'runs the server',
    load: async () => (await import('./cli/start.ts')).start,
  },
  api: {
    summary: 'runs portal and API alone',
    load: async () => (await import('./cli/start.ts')).api,
  },
  worker: {
    summary: 'runs jobs alone',
    load: async () => (await import('./cli/start.ts')).worker,
  },
  bootstrap: {
    summary: 'makes the account of the provider in a new installation',
    load: async () => (await import('./cli/bootstrap.ts')).bootstrap,
  },
  tenant: {
    summary: 'creates, changes, suspends and resumes clients',
    load: async () => (await import('./cli/tenant.ts')).tenant,
  },
  verify: {
    summary: 'checks the archive against its invariants',
    load: async () => (await import('./cli/verify.ts')).verify,
  },
  backup: {
    summary: 'makes a backup while the server runs',
    load: async () => (await import('./cli/backup.ts')).backup,
  },
  restore: {
    summary: 'restores a backup',
    load: async () => (await import('./cli/restore.ts')).restoreCommand,
  },
  keys: {
    summary: 'exports, imports and rotates keys',
    load: async () => (await import('./cli/keys.ts')).keys,
  },
  migrate: {
    summary: 'imports the files of a legacy platform',
    load: async () => (await import('./cli/migrate.ts')).migrate,
  },
  'two-people': {
    summary: 'switches dual control off for an account that cannot decide any more',
    load: async () => (await import('./cli/two-people.ts')).twoPeople,
  },
  certificate: {
    summary: 'verifies a certificate of destruction or a reconciliation, offline',
    load: async () => (await import('./cli/certificate.ts')).certificate,
  },
}

const WIDTH = Math.max(...Object.keys(COMMANDS).map(({ length }) => length))
const HELP = `custodia <command>

${Object.entries(COMMANDS)
  .map(([name, { summary }]) => `  ${name.padEnd(WIDTH)}  ${summary}`)
  .join('\n')}

custodia <command> --help describes a command. Settings are environment variables: docs/settings.md.
Exit codes: ${EXIT.done} done, ${EXIT.failed} refused or failed, ${EXIT.usage} wrong command line; more in the help of a command.`

async function main([name, ...argv]: readonly string[]): Promise<number> {
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
const sentenceOf = ({ message, cause }: Error): string =>
  cause instanceof Error && !message.includes(cause.message) ? `${message} (${cause.message})` : message

/** One sentence for the operator; the stack helps only where the fault is ours. */
function fail(error: unknown): never {
  const isOurs = error instanceof TypeError || error instanceof RangeError
  console.error(error instanceof Error && !isOurs ? sentenceOf(error) : error)
  process.exit(EXIT.failed)
}

main(process.argv.slice(2)).then((code) => {
  process.exitCode = code
}, fail)
