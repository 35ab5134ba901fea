import type { TransferConfig, TransferTargetTest } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import {
  Alert,
  Button,
  Code,
  Group,
  NumberInput,
  SegmentedControl,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { transfersApi } from '../../api/transfers-api.ts'
import { useMay } from '../../api/use-profile.ts'
import {
  TARGET_WORDS,
  type TargetLabels,
  TRANSFER_PROBLEM_WORDS,
} from '../../components/transfers/transfer-words.ts'
import { FieldGroup } from '../../ui/form/field-group.tsx'
import type { Form } from '../../ui/form/use-form.ts'
import { Icon } from '../../ui/icon.tsx'
import { visible } from '../../ui/visible.ts'
import { BucketAccess } from './bucket-access.tsx'
import { type ConfigDraft, getParams, getTargetSecrets } from './config-draft.ts'

/** Target fields with a connection test. */
export function TargetFields({
  form,
  config,
  labels,
}: {
  form: Form<ConfigDraft>
  config: TransferConfig | undefined
  labels: TargetLabels
}) {
  const { t, i18n } = useLingui()
  const { set, values } = form
  const field = getFields(form)
  return (
    <FieldGroup label={t`Where`}>
      <SegmentedControl
        aria-label={labels.target_type}
        data={(['SFTP', 'S3'] as const).map((value) => ({ value, label: i18n._(TARGET_WORDS[value]) }))}
        value={values.target_type}
        onChange={(next) => set({ target_type: next as ConfigDraft['target_type'] })}
      />
      {values.target_type === 'S3' ? (
        <BucketFields field={field} labels={labels} values={values} />
      ) : (
        <ServerFields form={form} field={field} config={config} labels={labels} />
      )}
      {/* Hides the test result of another target. */}
      <TestTarget
        key={JSON.stringify([{ ...getParams(values), host_key: null }, getTargetSecrets(values)])}
        form={form}
      />
    </FieldGroup>
  )
}

/** Props of the target's inputs. The server's faults name them below `params`. */
const getFields =
  (form: Form<ConfigDraft>) =>
  <Name extends keyof ConfigDraft>(name: Name) => ({
    ...form.field(name),
    error: form.errorAt(name) ?? form.errorAt(`params.${name}`),
  })

interface TargetProps {
  field: ReturnType<typeof getFields>
  labels: TargetLabels
}

function BucketFields({ field, labels, values }: TargetProps & { values: ConfigDraft }) {
  const { t } = useLingui()
  return (
    <>
      <TextInput
        label={labels.destination}
        description={t`s3://bucket/folder, in the account of the role.`}
        required
        spellCheck={false}
        {...field('destination')}
      />
      <TextInput
        label={labels.region}
        description={t`Bucket region, such as eu-west-1`}
        required
        spellCheck={false}
        {...field('region')}
      />
      <TextInput
        label={labels.iam_role_arn}
        description={t`arn:aws:iam::…:role/… in your AWS account, with the policies below.`}
        required
        spellCheck={false}
        {...field('iam_role_arn')}
      />
      <BucketAccess values={values} />
    </>
  )
}

function ServerFields({
  form: { values, set },
  field,
  config,
  labels,
}: TargetProps & { form: Form<ConfigDraft>; config: TransferConfig | undefined }) {
  const { t } = useLingui()
  const kept = (has: boolean | undefined) => (has ? t`Stored. Enter another to replace it.` : undefined)
  return (
    <>
      <TextInput label={labels.server} required spellCheck={false} {...field('server')} />
      <NumberInput
        label={labels.port}
        required
        min={1}
        max={65_535}
        allowDecimal={false}
        hideControls
        {...field('port')}
        value={values.port}
        onChange={(port) => set({ port })}
      />
      <TextInput label={labels.username} required autoComplete="off" {...field('username')} />
      <TextInput
        type="password"
        label={labels.sftp_password}
        description={kept(config?.has_sftp_password)}
        autoComplete="new-password"
        {...field('sftp_password')}
      />
      <Textarea
        label={labels.sftp_private_key}
        description={kept(config?.has_sftp_private_key) ?? t`Instead of a password`}
        autosize
        minRows={2}
        maxRows={8}
        spellCheck={false}
        {...field('sftp_private_key')}
      />
      <TextInput
        label={labels.root_directory}
        description={t`One subfolder per day is created.`}
        required
        spellCheck={false}
        {...field('root_directory')}
      />
      <TextInput
        label={labels.host_key}
        description={t`SHA256:… as ssh-keygen -l shows it. Servers with another key receive nothing. Run a test to fill it in, then compare it with the operator’s.`}
        spellCheck={false}
        {...field('host_key')}
      />
    </>
  )
}

/** Writes, reads and removes a test file; pins the server's key after confirmation. */
function TestTarget({ form: { set, values } }: { form: Form<ConfigDraft> }) {
  const test = useMutation({
    mutationFn: (draft: ConfigDraft) =>
      transfersApi.testTransferTarget({
        params: { transfer_config_reference: draft.transfer_config_reference.trim() || 'new' },
        query: {},
        body: { params: getParams(draft), ...getTargetSecrets(draft) },
      }),
  })
  if (!useMay()('transfer_configs:test')) return null
  return (
    <Stack gap="xs">
      <Group>
        <Button variant="default" loading={test.isPending} onClick={() => test.mutate(values)}>
          <Trans>Test this target</Trans>
        </Button>
      </Group>
      {/* The result for another server key is hidden. */}
      {test.data && test.variables.host_key === values.host_key && (
        <Outcome
          outcome={test.data}
          pinned={values.host_key.trim()}
          onPin={(host_key) => {
            set({ host_key })
            test.mutate({ ...values, host_key })
          }}
        />
      )}
    </Stack>
  )
}

function Outcome({
  outcome: { is_reached, is_verified, is_removed, problem, detail, host_key },
  pinned,
  onPin,
}: {
  outcome: TransferTargetTest
  /** Pinned host key; empty: none. */
  pinned: string
  onPin: (host_key: string) => void
}) {
  const { t, i18n } = useLingui()
  if (problem === 'host_key_unknown' && host_key !== null && pinned === '')
    return <CompareKey host_key={host_key} onPin={onPin} />
  return (
    <Alert
      role="alert"
      color={is_reached ? 'teal' : 'orange'}
      icon={<Icon name={is_reached ? 'check' : 'warning'} />}
      title={
        is_reached
          ? is_verified && is_removed
            ? t`A test file was written, read and removed`
            : t`A test file was written`
          : t`Not working yet`
      }
    >
      <Stack gap="xs">
        {is_reached && !is_verified && (
          <Text size="sm">
            <Trans>The role cannot read the file. The server confirms uploads by SHA-256.</Trans>
          </Text>
        )}
        {is_reached && !is_removed && (
          <Text size="sm">
            <Trans>The role cannot remove it: custodia-test.txt stays and each test overwrites it.</Trans>
          </Text>
        )}
        {problem !== null && <Text size="sm">{i18n._(TRANSFER_PROBLEM_WORDS[problem])}</Text>}
        {detail !== null && (
          <Text size="sm" c="dimmed">
            {visible(detail)}
          </Text>
        )}
        {host_key !== null && (
          <Stack gap={4}>
            <Fingerprint label={t`Pinned`} value={pinned} />
            <Fingerprint label={t`Shown by the server`} value={host_key} />
            <Text size="sm">
              <Trans>
                Accept it only if the server’s operator confirms it: otherwise the connection may be
                intercepted. Enter the password or private key again.
              </Trans>
            </Text>
            <Group>
              <Button size="compact-sm" variant="default" onClick={() => onPin(host_key)}>
                {t`Accept the new key`}
              </Button>
            </Group>
          </Stack>
        )}
      </Stack>
    </Alert>
  )
}

/** First contact with a server: its key is compared once, then pinned. */
function CompareKey({ host_key, onPin }: { host_key: string; onPin: (host_key: string) => void }) {
  const { t } = useLingui()
  const command = 'ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub'
  return (
    <Alert
      role="alert"
      color="blue"
      icon={<Icon name="key" />}
      title={t`Compare this fingerprint with your server’s`}
    >
      <Stack gap="xs">
        <Fingerprint label={t`Shown by the server`} value={host_key} />
        <Text size="sm">
          <Trans>
            The server’s operator sees it with <Code>{command}</Code>.
          </Trans>
        </Text>
        <Group>
          <Button size="compact-sm" onClick={() => onPin(host_key)}>
            <Trans>It is the same</Trans>
          </Button>
        </Group>
      </Stack>
    </Alert>
  )
}

/** Host keys, one below the other for comparison. */
const Fingerprint = ({ label, value }: { label: string; value: string }) => (
  <div>
    <Text size="xs" c="dimmed">
      {label}
    </Text>
    <Code style={{ overflowWrap: 'anywhere' }}>{visible(value)}</Code>
  </div>
)
