import type { TransferIdentity } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Code, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { callQuery } from '../../api/call-keys.ts'
import { transfersApi } from '../../api/transfers-api.ts'
import { QueryResult } from '../../ui/query-result.tsx'
import { CopyButton } from '../../ui/reference.tsx'
import { visible } from '../../ui/visible.ts'
import type { ConfigDraft } from './config-draft.ts'
import classes from './bucket-access.module.css'

/** Placeholder while the operator's ARN is unknown. */
const UNKNOWN = 'ARN-OF-YOUR-PROVIDER'

/** Trust policy of AWS for the role. */
const trustPolicy = ({ external_id, principal }: TransferIdentity): string =>
  policy({
    Effect: 'Allow',
    Principal: { AWS: principal ?? UNKNOWN },
    Action: 'sts:AssumeRole',
    Condition: { StringEquals: { 'sts:ExternalId': external_id } },
  })

/** Permission policy of AWS for the role in its bucket (docs/transfers.md). */
function bucketPolicy(destination: string, role_arn: string): string {
  const [bucket = '', ...folders] = destination
    .trim()
    .replace(/^s3:\/\//, '')
    .split('/')
  const partition = /^arn:(aws[a-z-]*):/.exec(role_arn.trim())?.[1] ?? 'aws'
  const place = `arn:${partition}:s3:::${bucket || 'BUCKET'}`
  const below = [place, ...folders.filter((folder) => folder !== '')].join('/')
  const allow = (Action: string | string[], Resource: string) => ({ Effect: 'Allow', Action, Resource })
  return policy(
    allow(['s3:PutObject', 's3:AbortMultipartUpload', 's3:GetObject'], `${below}/*`),
    allow('s3:DeleteObject', `${below}/custodia-test.txt`),
    allow('s3:ListBucketMultipartUploads', place),
  )
}

const policy = (...Statement: object[]): string =>
  JSON.stringify({ Version: '2012-10-17', Statement }, undefined, 2)

/** AWS policies for the bucket owner: trust with the account's external id, and permissions. */
export function BucketAccess({ values }: { values: ConfigDraft }) {
  const query = useQuery({
    ...callQuery(transfersApi, 'readTransferIdentity'),
    staleTime: Number.POSITIVE_INFINITY,
  })
  return (
    <QueryResult query={query} height={320}>
      {(identity) => <Policies identity={identity} values={values} />}
    </QueryResult>
  )
}

function Policies({ identity, values }: { identity: TransferIdentity; values: ConfigDraft }) {
  const { t } = useLingui()
  const { destination, iam_role_arn } = values
  return (
    <Stack gap="sm">
      <div>
        <Text size="sm" fw={500}>
          <Trans>External ID of this account</Trans>
        </Text>
        <Group gap="xs" wrap="nowrap">
          <Code style={{ overflowWrap: 'anywhere' }}>{identity.external_id}</Code>
          <CopyButton value={identity.external_id} name={t`the external ID`} />
        </Group>
        <Text size="sm" c="dimmed">
          <Trans>Sent whenever the role is assumed. It protects the role against other accounts.</Trans>
        </Text>
      </div>
      <Policy label={t`Trust policy of the role`} text={trustPolicy(identity)} />
      {identity.principal === null && (
        <Text size="sm" c="dimmed">
          <Trans>Ask this service’s operator for the ARN of the trust policy.</Trans>
        </Text>
      )}
      <Policy label={t`Role permissions`} text={bucketPolicy(destination, iam_role_arn)} />
      <Text size="sm" c="dimmed">
        <Trans>
          s3:PutObject suffices for delivery. The other permissions let Custodia verify files, end interrupted
          uploads and remove test files.
        </Trans>
      </Text>
    </Stack>
  )
}

function Policy({ label, text }: { label: string; text: string }) {
  return (
    <div>
      <Group gap="xs">
        <Text size="sm" fw={500}>
          {label}
        </Text>
        <CopyButton value={text} name={label} />
      </Group>
      <Code block className={classes.policy}>
        {visible(text)}
      </Code>
    </div>
  )
}
