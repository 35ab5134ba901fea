import * as z from 'zod/mini'
import { ADMIN_GROUPS, endpoints, get } from './endpoint.ts'
import { Count, EpochSeconds, queryInteger, text } from './scalars.ts'

/** A checkpoint of the sealed log: a signed note (C2SP tlog-checkpoint). */
const Checkpoint = z.strictObject({
  /** How many entries it covers. */
  size: Count,
  signed_at: EpochSeconds,
  checkpoint: z.string(),
})
export type Checkpoint = z.output<typeof Checkpoint>

/**
 * Why a log contradicts a checkpoint: it is not one of this installation, covers more entries than the log has, or other
 * ones; `faulty`: the nightly check found faults in the log, as many as the size says.
 */
export const SEALED_FAULTS = ['not_ours', 'cut_off', 'changed', 'faulty'] as const

/** How far the log is sealed, and with which keys. */
const SealedLog = z.strictObject({
  size: Count,
  /** Null: nothing is sealed yet. */
  sealed_at: z.nullable(EpochSeconds),
  /** Public keys as C2SP signed-note writes them, oldest first. */
  keys: z.array(z.string()),
  /** The newest checkpoints, newest first. */
  checkpoints: z.array(Checkpoint),
  /** Who holds a checkpoint outside of the database, the newest first. */
  holders: z.array(
    z.strictObject({
      holder: z.string(),
      size: Count,
      held_at: EpochSeconds,
      /** The signed note as the holder has it, with its own signature if it signs. */
      checkpoint: z.string(),
      /** A time stamp (RFC 3161) in base64; null: the holder answers with none. */
      receipt: z.nullable(z.string()),
    }),
  ),
  /** Checkpoints of holders that the log does not continue. Until the operator has resolved them, nothing is destroyed. */
  contradictions: z.array(
    z.strictObject({ holder: z.string(), size: Count, fault: z.enum(SEALED_FAULTS), found_at: EpochSeconds }),
  ),
})
export type SealedLog = z.output<typeof SealedLog>

/** An entry of the sealed log. Its digest is SHA-256 of the salt and the canonical JSON of the fields. */
const sealedEntry = {
  /** From 0. */
  position: Count,
  /** The text that the Merkle tree hashes: table, time and digest of the entry. */
  leaf: z.string(),
  /** Hexadecimal. Absent with the fields: retention removed the entry, or the reader may not read it. */
  salt: z.optional(z.string()),
  fields: z.optional(z.record(z.string(), z.unknown())),
}
const SealedEntry = z.strictObject(sealedEntry)
export type SealedEntry = z.output<typeof SealedEntry>

/** Entries per call. */
export const SEALED_LIMIT = 500

/** Proves that an entry is in the log of a checkpoint (RFC 9162). `custodia-verify.mjs` verifies it as a file. */
const SealedProof = z.strictObject({
  format: z.literal('custodia-sealed-log-proof/1'),
  checkpoint: z.string(),
  ...sealedEntry,
  /** Hashes, hexadecimal. */
  proof: z.array(z.string()),
})
export type SealedProof = z.output<typeof SealedProof>

/** Proves that the log of a checkpoint begins with the log of a former one (RFC 9162). */
const SealedConsistency = z.strictObject({
  format: z.literal('custodia-sealed-log-consistency/1'),
  former: z.string(),
  checkpoint: z.string(),
  proof: z.array(z.string()),
})

/** Settings of a bucket that make a promise untrue. `settings_hidden`: the server may not read them. */
export const STORE_FAULTS = [
  'versioning_off',
  'lock_off',
  'default_retention',
  'lifecycle_rules',
  'settings_hidden',
] as const
export type StoreFault = (typeof STORE_FAULTS)[number]

/** Checks of the archive that `listIntegrityChecks` lists. */
export const CHECKS_LISTED = 60

/** How objects are protected, and what the nightly checks of the archive examined and found. */
const IntegrityChecks = z.strictObject({
  /** Null: the store did not answer. */
  store_faults: z.nullable(z.array(z.enum(STORE_FAULTS))),
  /** Whether the originals are locked until their legal minimum ends. */
  is_locked: z.boolean(),
  /** The newest first. */
  data: z.array(
    z.strictObject({
      started_at: EpochSeconds,
      ended_at: EpochSeconds,
      /** Which part of the objects was opened, such as `3 of 7`; null: none. */
      opened_part: z.nullable(z.string()),
      /** Objects of the account that were opened and compared with their digests. */
      opened: Count,
      outcome: z.enum(['clean', 'findings', 'unverified']),
      /** Checks of the account and of the installation that found faults, and how many. */
      findings: z.array(z.strictObject({ check: z.string(), count: Count })),
    }),
  ),
})
export type IntegrityChecks = z.output<typeof IntegrityChecks>
export type IntegrityCheck = IntegrityChecks['data'][number]

const position = () => queryInteger(0, Number.MAX_SAFE_INTEGER)

/** Calls of the sealed log. They have the rights of the audit logs, whose entries it seals. */
export const sealedLogEndpoints = endpoints({
  readSealedLog: {
    ...get(ADMIN_GROUPS, 'sealed_log'),
    action: 'activities:list',
    support: true,
    summary: 'Read how far the audit log is sealed',
    response: SealedLog,
  },
  listSealedEntries: {
    ...get(ADMIN_GROUPS, 'sealed_log/entries'),
    action: 'activities:list',
    support: true,
    summary: 'List entries of the sealed log by position',
    description: `At most ${SEALED_LIMIT} from a position on. Fields are those that the caller may read.`,
    query: { from_position: z.optional(position()) },
    response: z.strictObject({ data: z.array(SealedEntry) }),
  },
  listIntegrityChecks: {
    ...get(ADMIN_GROUPS, 'integrity_checks'),
    action: 'activities:list',
    support: true,
    summary: 'List the nightly checks of the archive, newest first',
    description: `The newest ${CHECKS_LISTED}, and how the stored recordings are protected.`,
    response: IntegrityChecks,
  },
  proveConsistency: {
    ...get(ADMIN_GROUPS, 'sealed_log/consistency'),
    action: 'activities:list',
    support: true,
    summary: 'Prove that the sealed log continues a former checkpoint',
    query: { former: position(), size: z.optional(position()) },
    response: SealedConsistency,
    problems: ['not_found'],
  },
  proveActivity: {
    ...get(ADMIN_GROUPS, 'activities/{log_id}/proof'),
    action: 'activities:list',
    support: true,
    summary: 'Prove that an entry of the log of people is sealed',
    params: { log_id: text(1, 64) },
    response: SealedProof,
    problems: ['not_found'],
  },
  proveDeviceActivity: {
    ...get(ADMIN_GROUPS, 'device_activities/{log_id}/proof'),
    action: 'device_activities:list',
    support: true,
    summary: 'Prove that an entry of the log of devices is sealed',
    params: { log_id: text(1, 64) },
    response: SealedProof,
    problems: ['not_found'],
  },
})
