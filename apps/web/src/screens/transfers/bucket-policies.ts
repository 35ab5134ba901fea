import type { TransferIdentity } from '@custodia/contract'

/** Placeholder while the operator's ARN is unknown. */
const UNKNOWN = 'ARN-OF-YOUR-PROVIDER'

/** Trust policy of AWS for the role. */
export const trustPolicy = ({ external_id, principal }: TransferIdentity): string =>
  policy({
    Effect: 'Allow',
    Principal: { AWS: principal ?? UNKNOWN },
    Action: 'sts:AssumeRole',
    Condition: { StringEquals: { 'sts:ExternalId': external_id } },
  })

/** Permission policy of AWS for the role in its bucket (docs/transfers.md). */
export function bucketPolicy(destination: string, role_arn: string): string {
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
