import { readFile } from 'node:fs/promises'
import { CLAIM_PRESETS, ClaimMapping, type ClientIdentity, type Fault, toFaults } from '@custodia/contract'
import type * as z from 'zod/mini'
import type { AppContext } from '../app-context.ts'
import { type Config, readConfig } from '../config.ts'
import { AuditLog } from '../http/audit.ts'
import { Problem } from '../http/problem.ts'
import { type Archive, openArchive } from '../open-archive.ts'
import { getEgress } from '../ports/egress/guard.ts'
import { required, UsageError } from './command.ts'

/** What commands need that make and change accounts, whether or not a server runs. */
export type Installation = Archive & Pick<AppContext, 'audit' | 'egress'>

/** Runs a command on the installation that the environment describes. `mayBeNew`: an empty database and keys folder are set up. */
export async function withInstallation<T>(
  work: (installation: Installation) => Promise<T>,
  { mayBeNew = false } = {},
): Promise<T> {
  const config = readConfig(process.env)
  const archive = await openArchive(config, { mayBeNew })
  try {
    return await work({ ...archive, audit: new AuditLog(archive.db), egress: getEgress(config) })
  } catch (error) {
    throw error instanceof Problem ? new Error(getSentence(error)) : error
  } finally {
    await archive.close()
  }
}

const getSentence = ({ faults, detail, code }: Problem): string =>
  faults.length > 0 ? sentences(faults) : (detail ?? code)
const sentences = (faults: readonly Fault[]): string =>
  faults.map(({ path, message }) => `${path}: ${message}`).join('\n')

/** The value as the schema has it. Throws UsageError with every fault. */
export function checked<T extends z.ZodMiniType>(schema: T, value: unknown): z.output<T> {
  const parsed = schema.safeParse(value)
  if (!parsed.success) throw new UsageError(sentences(toFaults(parsed.error.issues)))
  return parsed.data
}

const PRESETS = Object.keys(CLAIM_PRESETS)

/** Options that name an identity provider of an account's own. */
export const IDENTITY_OPTIONS = {
  issuer: { type: 'string' },
  'client-id': { type: 'string' },
  'client-secret-file': { type: 'string' },
  'device-client-id': { type: 'string' },
  claims: { type: 'string' },
} as const
export const IDENTITY_USAGE = `  --issuer              an identity provider of the account's own; without it that of OIDC_ISSUER
  --client-id           as which Custodia is registered there; redirect address <PUBLIC_URL>/sign-in
  --client-secret-file  file with its secret; without it a public client
  --device-client-id     as which the app on devices is registered there
  --claims              which claims name people, roles and groups: ${PRESETS.join(', ')}, or a JSON file`

interface IdentityValues {
  issuer?: string | undefined
  'client-id'?: string | undefined
  'client-secret-file'?: string | undefined
  'device-client-id'?: string | undefined
}

/** The identity provider that the options name; null: that of the installation. Throws where there is none. */
export async function getIdentity(
  { oidc }: Pick<Config, 'oidc'>,
  values: IdentityValues,
): Promise<ClientIdentity> {
  const { issuer, 'client-secret-file': file, 'device-client-id': device } = values
  if (issuer === undefined) {
    if (values['client-id'] ?? file ?? device) throw new UsageError('--issuer is missing')
    if (!oidc) throw new UsageError('--issuer is missing, and OIDC_ISSUER is not set')
    return null
  }
  return {
    issuer,
    oidc_client_id: required(values['client-id'], 'client-id'),
    oidc_device_client_id: device ?? null,
    ...(file === undefined ? {} : { client_secret: (await readFile(file, 'utf8')).trim() }),
  }
}

/** The claim mapping that the option names: a preset, or a file with the mapping as JSON; undefined without the option. */
export async function getClaimMapping(claims: string | undefined): Promise<ClaimMapping | undefined> {
  if (claims === undefined) return undefined
  if (Object.hasOwn(CLAIM_PRESETS, claims)) return CLAIM_PRESETS[claims as keyof typeof CLAIM_PRESETS]
  const text = await readFile(claims, 'utf8').catch(() => {
    throw new UsageError(`--claims: ${claims} is neither a file nor one of ${PRESETS.join(', ')}`)
  })
  try {
    return checked(ClaimMapping, JSON.parse(text))
  } catch (error) {
    throw new UsageError(`--claims: ${claims}: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** Where the people of an account sign in. */
export const signInAddress = ({ adminPortalUrl }: Pick<Config, 'adminPortalUrl'>, client: string): string =>
  `${adminPortalUrl}/sign-in?client=${client}`
