import { useLingui } from '@lingui/react/macro'

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
