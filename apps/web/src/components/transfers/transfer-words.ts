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
import { useLingui } from '@lingui/react/macro'
import type { Words } from '../words/spec-word.tsx'

export const TRANSFER_STATE_WORDS: Words<TransferState | TransferItemState> = {
  Pending: msg({ context: 'transfer', message: 'Waiting' }),
  InProgress: msg({ context: 'transfer', message: 'Under way' }),
  Succeeded: msg({ context: 'transfer', message: 'Delivered' }),
  PartialFail: msg({ context: 'transfer', message: 'Partly failed' }),
  Failed: msg({ context: 'transfer', message: 'Failed' }),
}

export const TRANSFER_TYPE_WORDS: Words<TransferConfig['transfer_type']> = {
  Payload: msg({ context: 'transfer', message: 'Recordings' }),
  Report: msg({ context: 'transfer', message: 'Report' }),
}

export const TRANSFER_FORMAT_WORDS: Words<TransferConfig['transfer_file_format']> = {
  Uncompressed: msg`As they are`,
  Zipped: msg`Zip`,
  ZippedWithPassword: msg`Zip with password (AES-256)`,
  PGP: msg`OpenPGP`,
}

export const TARGET_WORDS: Words<TransferParams['target_type']> = {
  S3: msg`S3 bucket`,
  SFTP: msg`SFTP server`,
}

/** Errors of a target. */
export const TRANSFER_PROBLEM_WORDS: Words<TransferProblem> = {
  host_unknown: msg`No public server has this name; ask the operator to allow an internal one`,
  address_forbidden: msg`This address is not allowed from here; ask the operator to allow it`,
  unreachable: msg`The server does not answer`,
  host_key_unknown: msg`The server’s key is not pinned yet`,
  host_key_changed: msg`The server key differs from the pinned one: nothing was sent`,
  auth_refused: msg`The server refused the user, password or key, or the role cannot be assumed`,
  permission_denied: msg`The user or role cannot write there`,
  no_such_folder: msg`Folder or bucket not found`,
  no_space: msg`The server has no space left`,
  timeout: msg`The server timed out`,
  connection_lost: msg`The connection was lost`,
  source_unreadable: msg`The recording cannot be read`,
  source_differs: msg`The recording has changed since storage`,
  target_differs: msg`The stored file differs from the sent one`,
  key_unusable: msg`The key cannot encrypt`,
  not_permitted: msg`The configuration’s role cannot download it`,
  refused: msg`The server refused the file`,
}

/** Why a captured recording is missing on the target. */
export const MISSING_REASON_WORDS: Words<MissingReason> = {
  not_uploaded: msg`Announced; not uploaded yet`,
  being_processed: msg`Uploaded; being processed`,
  processing_failed: msg`Uploaded; processing failed`,
  quarantined: msg`In quarantine: malware scan failed`,
  deleted: msg`Deleted before it was delivered`,
  waiting: msg`Awaiting the next run`,
  not_taken: msg`No run included it in time`,
  transfer_failed: msg`Delivery failed; see the run`,
  not_permitted: msg`Outside the configuration’s role or groups`,
}

/** Why a run skips a recording. */
export const LEFT_OUT_WORDS: Words<LeftOutReason> = {
  role_missing: msg`The configuration’s role does not exist`,
  role_networks: msg`The role is limited to certain networks`,
  action_not_authorised: msg`The role cannot download`,
  group_not_authorised: msg`The role does not allow the group`,
  type_not_authorised: msg`The role does not allow this recording type`,
  group_not_selected: msg`Another group than those of the configuration`,
  not_confirmed: msg`New right of the role, not approved yet`,
}

/** Target of a config, in one line. */
export const getTarget = (params: TransferParams): string =>
  params.target_type === 'S3' ? params.destination : `${params.username}@${params.server}:${params.port}`

/** Labels of target fields. */
export function useTargetLabels() {
  const { t } = useLingui()
  return {
    target_type: t`Target`,
    destination: t`Bucket and folder`,
    region: t`Region`,
    iam_role_arn: t`Role to assume`,
    server: t`Server`,
    port: t`Port`,
    username: t`User`,
    root_directory: t`Folder`,
    host_key: t`Server key`,
    sftp_password: t`Password`,
    sftp_private_key: t`Private key`,
  }
}

export type TargetLabels = ReturnType<typeof useTargetLabels>
