import { readFileSync } from 'node:fs'
import { distance } from 'fastest-levenshtein'

/** Settings that hold a secret. Each may be read from a file, which `<NAME>_FILE` names. */
export const SECRET_SETTINGS = [
  'DATABASE_URL',
  'DATABASE_REPLICA_URL',
  'BACKUP_DATABASE_URL',
  'S3_ACCESS_KEY_ID',
  'S3_SECRET_ACCESS_KEY',
  'TRANSFER_AWS_ACCESS_KEY_ID',
  'TRANSFER_AWS_SECRET_ACCESS_KEY',
  'OIDC_CLIENT_SECRET',
  'SMTP_URL',
  'METRICS_TOKEN',
] as const

/** The environment with secrets read from their files, and a sentence for each file that cannot be used. */
export function readSecretFiles(env: Readonly<Record<string, string | undefined>>): {
  env: Record<string, string | undefined>
  faults: string[]
} {
  const filled: Record<string, string | undefined> = { ...env }
  const faults: string[] = []
  for (const name of SECRET_SETTINGS) {
    const setting = `${name}_FILE`
    const path = env[setting]
    if (!path) continue
    delete filled[setting]
    if (env[name]) faults.push(`${setting}: ${name} is set as well. Set one of the two.`)
    try {
      // Editors and `echo` end a file with a line break, which is no part of the secret.
      filled[name] = readFileSync(path, 'utf8').replace(/\r?\n$/, '')
      if (!filled[name]) faults.push(`${setting}: ${path} is empty.`)
    } catch (error) {
      faults.push(`${setting}: ${path} cannot be read (${(error as NodeJS.ErrnoException).code}).`)
    }
  }
  return { env: filled, faults }
}

/** Settings of other programs that look like misspelt ones of ours. */
const OTHERS = new Set(['HOME', 'HOSTNAME', 'HOSTTYPE', 'POST', 'PORTS', 'HOSTS'])

/** The setting of `known` that `name` likely misspells; undefined when none is near. */
export function suggestName(name: string, known: readonly string[]): string | undefined {
  if (OTHERS.has(name)) return undefined
  // Short names resemble many others.
  const most = name.length < 8 ? 1 : 2
  return known
    .map((each) => ({ each, slips: distance(name, each) }))
    .filter(({ slips }) => slips > 0 && slips <= most)
    .toSorted((a, b) => a.slips - b.slips)[0]?.each
}
