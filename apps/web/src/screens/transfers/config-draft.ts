import type { TransferConfig, TransferConfigInput, TransferParams } from '@custodia/contract'

/** Form state of a config: all fields of all target types. Empty secrets stay unchanged. */
export interface ConfigDraft {
  transfer_config_reference: string
  transfer_type: TransferConfig['transfer_type']
  payload_types: TransferConfig['payload_types']
  /** Empty: all groups of the role. */
  groups: readonly string[]
  /** Null: none; a new config uses the first permitted own role. */
  role_reference: string | null
  schedule: string
  transfer_file_format: TransferConfig['transfer_file_format']
  pgp_key: string
  zip_password: string
  target_type: TransferParams['target_type']
  destination: string
  region: string
  iam_role_arn: string
  server: string
  port: number | string
  username: string
  root_directory: string
  host_key: string
  sftp_password: string
  sftp_private_key: string
  is_active: boolean
}

export const NEW_CONFIG: ConfigDraft = {
  transfer_config_reference: '',
  transfer_type: 'Payload',
  payload_types: ['Call', 'SMS'],
  groups: [],
  role_reference: null,
  schedule: 'cron(0 2 * * ? *)',
  transfer_file_format: 'Zipped',
  pgp_key: '',
  zip_password: '',
  target_type: 'SFTP',
  destination: 's3://',
  region: '',
  iam_role_arn: '',
  server: '',
  port: 22,
  username: '',
  root_directory: '/',
  host_key: '',
  sftp_password: '',
  sftp_private_key: '',
  is_active: true,
}

/** Form state of a config. */
export function getDraft(config: TransferConfig): ConfigDraft {
  const { params, schedule, pgp_key, transfer_type, payload_types, transfer_file_format, is_active } = config
  return {
    ...NEW_CONFIG,
    ...params,
    host_key: ('host_key' in params && params.host_key) || '',
    transfer_config_reference: config.transfer_config_reference,
    role_reference: config.role_reference,
    transfer_type,
    payload_types,
    groups: config.groups ?? [],
    transfer_file_format,
    is_active,
    schedule: schedule ?? '',
    pgp_key: pgp_key ?? '',
  }
}

/** Target of a draft. */
export function getParams(draft: ConfigDraft): TransferParams {
  if (draft.target_type === 'S3') {
    const { destination, region, iam_role_arn } = draft
    return {
      target_type: 'S3',
      destination: destination.trim(),
      region: region.trim(),
      iam_role_arn: iam_role_arn.trim(),
    }
  }
  const { server, username, root_directory, host_key, port } = draft
  return {
    target_type: 'SFTP',
    server: server.trim(),
    port: port as number,
    username: username.trim(),
    root_directory: root_directory.trim(),
    host_key: host_key.trim() || null,
  }
}

/** Secrets that the user entered. */
export const getTargetSecrets = ({ sftp_password, sftp_private_key }: ConfigDraft) => ({
  ...(sftp_password !== '' && { sftp_password }),
  ...(sftp_private_key !== '' && { sftp_private_key }),
})

/** API input of a draft; a new config without a role uses the first permitted own role. */
export function getInput(draft: ConfigDraft, isNew: boolean): TransferConfigInput {
  const { transfer_type, payload_types, transfer_file_format, is_active, zip_password, role_reference } =
    draft
  return {
    ...((role_reference !== null || !isNew) && { role_reference }),
    transfer_type,
    payload_types,
    groups: draft.groups.length === 0 ? null : [...draft.groups],
    transfer_file_format,
    is_active,
    schedule: draft.schedule.trim() || null,
    pgp_key: draft.pgp_key.trim() || null,
    params: getParams(draft),
    ...(zip_password !== '' && { zip_password }),
    ...getTargetSecrets(draft),
  }
}

/** Form field of an API path. */
export const fieldAt = (path: string): string => path.replace(/^params\./, '')
