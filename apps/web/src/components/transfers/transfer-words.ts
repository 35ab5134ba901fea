import type {
  LeftOutReason,
  MissingReason,
  TransferConfig,
  TransferItemState,
  TransferParams,
  TransferProblem,
  TransferState,
} from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import type { Words } from '../words/spec-word.tsx'

/** States of a run or item. */
export const TRANSFER_STATE_WORDS: Words<TransferState | TransferItemState> = {
  Pending: msg({ context: 'transfer', message: 'Waiting' }),
  InProgress: msg({ context: 'transfer', message: 'Under way' }),
  Succeeded: msg({ context: 'transfer', message: 'Delivered' }),
  PartialFail: msg({ context: 'transfer', message: 'Partly failed' }),
  Failed: msg({ context: 'transfer', message: 'Failed' }),
}

/** Types of transferred content. */
export const TRANSFER_TYPE_WORDS: Words<TransferConfig['transfer_type']> = {
  Payload: msg({ context: 'transfer', message: 'Recordings' }),
  Report: msg({ context: 'transfer', message: 'Report' }),
}

/** File formats on a target. */
export const TRANSFER_FORMAT_WORDS: Words<TransferConfig['transfer_file_format']> = {
  Uncompressed: msg`As they are`,
  Zipped: msg`Zip`,
  ZippedWithPassword: msg`Zip with password (AES-256)`,
  PGP: msg`OpenPGP`,
}

/** Types of targets. */
export const TARGET_WORDS: Words<TransferParams['target_type']> = {
  S3: msg`S3 bucket`,
  SFTP: msg`SFTP server`,
}

/** Errors of a target. */
export const TRANSFER_PROBLEM_WORDS: Words<TransferProblem> = {
  host_unknown: msg`There is no server of this name`,
  address_forbidden: msg`This address must not be reached from here; the operator can allow it`,
  unreachable: msg`The server does not answer`,
  host_key_unknown: msg`The server’s key is not pinned yet`,
  host_key_changed: msg`The server shows another key than the pinned one: nothing was sent`,
  auth_refused: msg`The server refuses the user, the password or the key; or the role cannot be assumed`,
  permission_denied: msg`The user or role may not write there`,
  no_such_folder: msg`There is no such folder or bucket`,
  no_space: msg`The server has no space left`,
  timeout: msg`The server took too long`,
  connection_lost: msg`The connection was lost`,
  source_unreadable: msg`The recording cannot be read`,
  source_differs: msg`The recording is not what was stored`,
  target_differs: msg`What lies there is not what was sent`,
  key_unusable: msg`The key cannot encrypt`,
  not_permitted: msg`The role of the configuration may not download it`,
  refused: msg`The server refuses it`,
}

/** Why a captured recording is missing on the target. */
export const MISSING_REASON_WORDS: Words<MissingReason> = {
  not_uploaded: msg`Announced; its phone has not uploaded it yet`,
  being_processed: msg`Uploaded; being processed`,
  processing_failed: msg`Uploaded; processing failed`,
  quarantined: msg`In quarantine: it failed the malware scan`,
  deleted: msg`Deleted before it was delivered`,
  waiting: msg`Waits for the next run`,
  not_taken: msg`No run took it, though its time is over`,
  transfer_failed: msg`Its delivery failed; the run says why`,
  not_permitted: msg`The role of the configuration may not download it`,
}

/** Why a run skips a recording. */
export const LEFT_OUT_WORDS: Words<LeftOutReason> = {
  role_missing: msg`The configuration has no role that exists`,
  role_networks: msg`The role may be used from some networks only`,
  action_not_authorised: msg`The role may not download`,
  group_not_authorised: msg`The role does not reach the group`,
  type_not_authorised: msg`The role does not reach this kind of recording`,
  not_confirmed: msg`The role gained it, and no second person has confirmed that`,
}

/** Target of a config, in one line. */
export const targetOf = (params: TransferParams): string =>
  params.target_type === 'S3' ? params.destination : `${params.username}@${params.server}:${params.port}`
