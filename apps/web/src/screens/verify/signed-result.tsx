import type { SignedFact, SignedFormat } from '@custodia/contract'
import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { Alert, Code, Stack } from '@mantine/core'
import { Fact, Facts } from '../../components/facts.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Time } from '../../ui/time.tsx'
import { visible } from '../../ui/visible.ts'
import type { verifyDocument } from './verify-files.ts'

const TITLES: Readonly<Record<SignedFormat, MessageDescriptor>> = {
  'custodia.access/1': msg`Access report`,
  'custodia.capture/1': msg`Statement of completeness`,
  'custodia.client-deletion/1': msg`Certificate of a deleted account`,
  'custodia.destruction/1': msg`Certificate of destruction`,
  'custodia.recertification/1': msg`Recertification of access`,
  'custodia.reconciliation/1': msg`Reconciliation of a transfer`,
  'custodia.reviews/1': msg`Review coverage`,
  'custodia.support/1': msg`Report of a support session`,
}

const FACTS: Readonly<Record<SignedFact, MessageDescriptor>> = {
  client: msg`Account`,
  issued_at: msg`Issued`,
  archived: msg`Archived`,
  captured: msg`Recorded`,
  certificate_reference: msg`Certificate`,
  confirmed: msg({ context: 'signed fact', message: 'Confirmed' }),
  could: msg`People who could open it`,
  day: msg`Day`,
  deleted_at: msg`Deleted at`,
  deleted_by: msg`Deleted by`,
  delivered: msg`Recordings delivered`,
  did: msg`People who opened it`,
  ended_at: msg({ context: 'signed fact', message: 'Ended' }),
  explained: msg`Explained`,
  from: msg`From`,
  groups: msg`Groups`,
  heard: msg`Heard or opened`,
  missing: msg`Missing`,
  name: msg`Name`,
  payload_date: msg`Day`,
  payload_reference: msg`Recording`,
  payloads: msg`Recordings destroyed`,
  proposed_by: msg({ context: 'signed fact', message: 'Proposed by' }),
  queued: msg`On the way`,
  reader: msg`Counted for`,
  recorded: msg`Recorded`,
  request_reference: msg`Request`,
  requested_by: msg({ context: 'signed fact', message: 'Requested by' }),
  reviewed: msg({ context: 'recordings', message: 'Reviewed' }),
  revoked: msg({ context: 'signed fact', message: 'Revoked' }),
  started_at: msg`Started`,
  step_count: msg`Steps`,
  to: msg`To`,
}

type VerifiedDocument = NonNullable<Awaited<ReturnType<typeof verifyDocument>>>

/** The verdict on a signed document, its facts, its digest, and whether that is the printed one. */
export function SignedResult(props: {
  found: VerifiedDocument
  expected: string | undefined
  hasKey: boolean
}) {
  const { t, i18n } = useLingui()
  const { found, expected, hasKey } = props
  const { facts, digest, key_id } = found
  return (
    <Stack>
      <SignatureAlert found={found} hasKey={hasKey} />
      {expected !== undefined &&
        (expected === digest ? (
          <Alert color="green" icon={<Icon name="check" />} title={t`Unchanged`}>
            <Trans>The certificate has the digest of the QR code.</Trans>
          </Alert>
        ) : (
          <Alert color="red" icon={<Icon name="warning" />} title={t`Not the same certificate`}>
            <Trans>The file does not have the digest of the QR code.</Trans>
          </Alert>
        ))}
      <Facts isPart title={i18n._(TITLES[found.format])}>
        {facts.map(({ name, value, isTime }) => (
          <Fact key={name} label={i18n._(FACTS[name])}>
            {isTime ? (
              <Time at={Number(value)} style={name === 'day' ? 'day' : 'second'} />
            ) : typeof value === 'number' ? (
              i18n.number(value)
            ) : (
              visible(value)
            )}
          </Fact>
        ))}
        <Fact label={t`Signed with key`}>
          <Code style={{ overflowWrap: 'anywhere' }}>{visible(key_id)}</Code>
        </Fact>
        <Fact label={t`Digest (SHA-256)`}>
          <Code style={{ overflowWrap: 'anywhere' }}>{digest}</Code>
        </Fact>
      </Facts>
    </Stack>
  )
}

function SignatureAlert({ found: { fault }, hasKey }: { found: VerifiedDocument; hasKey: boolean }) {
  const { t } = useLingui()
  if (fault === undefined)
    return (
      <Alert color="green" icon={<Icon name="check" />} title={t`Good`}>
        <Trans>The document is signed with your verification key and unchanged.</Trans>
      </Alert>
    )
  if (!hasKey)
    return (
      <Alert color="blue" icon={<Icon name="info" />} title={t`Signature not checked`}>
        <Trans>Enter the verification key, then choose the file again.</Trans>
      </Alert>
    )
  return (
    <Alert color="red" icon={<Icon name="warning" />} title={t`Not good`}>
      {fault === 'altered' ? (
        <Trans>The document does not contain what was signed.</Trans>
      ) : fault === 'other_account' ? (
        <Trans>Your key is of another account.</Trans>
      ) : (
        <Trans>The document is signed with another key than yours.</Trans>
      )}
    </Alert>
  )
}
