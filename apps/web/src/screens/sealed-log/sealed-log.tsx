import type { SealedLog } from '@custodia/contract'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Alert, Anchor, Button, Code, List, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { getKey } from '../../api/call-keys.ts'
import { noticeFailure } from '../../api/notices.ts'
import { readSealedFile, readSealedLog } from '../../api/sealed-log-api.ts'
import { Fact, Facts } from '../../components/facts.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { download } from '../../ui/files.ts'
import { Icon } from '../../ui/icon.tsx'
import { PageBody } from '../../ui/page-body.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { Section } from '../../ui/section.tsx'
import { Time } from '../../ui/time.tsx'

/** Milliseconds between two reads of how far the log is sealed. */
const EVERY_MS = 30_000

/** `/dashboard/account/audit/sealed`: how far the audit log is sealed, and its files for an auditor. */
export default function SealedLogPage() {
  const { t } = useLingui()
  const query = useQuery({
    queryKey: getKey('readSealedLog'),
    queryFn: readSealedLog,
    refetchInterval: EVERY_MS,
  })
  return (
    <>
      <PageHeader
        title={t`Sealed log`}
        back={{ to: { to: '/dashboard/account/audit' }, label: <Trans>Audit</Trans> }}
        description={
          <Trans>Shows an auditor that no audit entry was changed, removed, inserted or moved.</Trans>
        }
        actions={
          query.data === undefined ? (
            // Its place is kept: the page must not move when the log arrives.
            <Button style={{ visibility: 'hidden' }}>{t`Save the log`}</Button>
          ) : (
            query.data.size > 0 && <SaveLog sealed={query.data} />
          )
        }
      />
      <PageBody>
        <QueryResult query={query}>{(sealed) => <SealedLogView sealed={sealed} />}</QueryResult>
      </PageBody>
    </>
  )
}

function SealedLogView({ sealed }: { sealed: SealedLog }) {
  const { t, i18n } = useLingui()
  const { size, sealed_at, keys, checkpoints, holders } = sealed
  return (
    <>
      <Contradictions sealed={sealed} />
      <Facts isPart title={t`Seal`}>
        <Fact label={t`Sealed until`}>
          {sealed_at === null ? <Trans>Not yet</Trans> : <Time at={sealed_at} style="second" />}
        </Fact>
        <Fact label={t`Entries`}>{i18n.number(size)}</Fact>
        <Fact label={t`Verification key`}>
          <Stack gap={4}>
            {keys.toReversed().map((key) => (
              <Code key={key} style={{ overflowWrap: 'anywhere' }}>
                {key}
              </Code>
            ))}
          </Stack>
        </Fact>
      </Facts>
      <Holders holders={holders} />
      <Checkpoints checkpoints={checkpoints} />
      <HowToVerify keys={keys} />
    </>
  )
}

/** Where checkpoints are kept. */
function Holders({ holders }: Pick<SealedLog, 'holders'>) {
  const { t } = useLingui()
  return (
    <Section title={t`Held by`}>
      <DataTable
        caption={t`Held by`}
        rows={holders}
        getKey={({ holder }) => holder}
        columns={[
          {
            label: t({ context: 'copy of a checkpoint', message: 'Place' }),
            cell: ({ holder }) => <HolderName holder={holder} />,
          },
          { label: t`Since`, cell: ({ held_at }) => <Time at={held_at} style="second" /> },
          { label: t`Entries`, count: ({ size: entries }) => entries },
        ]}
        actions={(held) => <SaveCheckpoint held={held} />}
      />
    </Section>
  )
}

function Checkpoints({ checkpoints }: Pick<SealedLog, 'checkpoints'>) {
  const { t, i18n } = useLingui()
  return (
    <Section title={t`Checkpoints`}>
      <DataTable
        caption={t`Checkpoints`}
        rows={checkpoints}
        getKey={({ size: entries }) => String(entries)}
        columns={[
          { label: t`Signed`, cell: ({ signed_at }) => <Time at={signed_at} style="second" /> },
          { label: t`Entries`, count: ({ size: entries }) => entries },
        ]}
        actions={({ size: entries, checkpoint }) => (
          <Button
            size="compact-sm"
            variant="subtle"
            aria-label={t`Save the checkpoint of ${i18n.number(entries)} entries`}
            onClick={() =>
              download([checkpoint], `checkpoint-${entries}`, { type: 'text/plain', ending: 'txt' })
            }
          >
            <Trans>Save</Trans>
          </Button>
        )}
      />
    </Section>
  )
}

/** Steps of an auditor who verifies the log. */
function HowToVerify({ keys }: Pick<SealedLog, 'keys'>) {
  const { t } = useLingui()
  return (
    <Section title={t`How to verify`}>
      <List type="ordered" size="sm">
        <List.Item>
          <Trans>
            Give the verification key and a checkpoint to the auditor now, and new ones regularly.
          </Trans>
        </List.Item>
        <List.Item>
          <Trans>
            The auditor saves the log and{' '}
            <Anchor href="/custodia-verify.mjs" download inherit underline="always">
              custodia-verify.mjs
            </Anchor>
            , and needs Node.js and no network.
          </Trans>
        </List.Item>
        <List.Item>
          <Text span inherit>
            <Trans>Then run:</Trans>
          </Text>{' '}
          <Code style={{ overflowWrap: 'anywhere' }}>
            {`node custodia-verify.mjs sealed-log-….jsonl ${keys.map((key) => `--key='${key}'`).join(' ')} --checkpoint=checkpoint-….txt`}
          </Code>
        </List.Item>
      </List>
    </Section>
  )
}

/** A holder of checkpoints, in words. */
function HolderName({ holder }: { holder: string }) {
  const [kind] = holder.split(' ', 1)
  const name = holder.split(' ').at(-1)
  if (holder === 'data folder') return <Trans>Data folder of the server</Trans>
  if (holder === 'nightly check') return <Trans>Nightly check</Trans>
  if (kind === 'transfer')
    return (
      <Trans>
        Transfer target <Code>{name}</Code>
      </Trans>
    )
  if (kind === 'mail') return <Trans>E-mail to {name}</Trans>
  if (kind === 'time') return <Trans>Time stamp of {name}</Trans>
  return <Trans>Witness {name}</Trans>
}

/** Saves the checkpoint as a holder has it, and its time stamp. */
function SaveCheckpoint({
  held: { holder, size, checkpoint, receipt },
}: {
  held: SealedLog['holders'][number]
}) {
  const { t } = useLingui()
  return (
    <>
      <Button
        size="compact-sm"
        variant="subtle"
        aria-label={t`Save the checkpoint of ${holder}`}
        onClick={() => download([checkpoint], `checkpoint-${size}`, { type: 'text/plain', ending: 'txt' })}
      >
        <Trans>Save</Trans>
      </Button>
      {receipt !== null && (
        <Button
          size="compact-sm"
          variant="subtle"
          onClick={() =>
            download(
              [Uint8Array.from(atob(receipt), (character) => character.charCodeAt(0))],
              `checkpoint-${size}`,
              {
                type: 'application/timestamp-reply',
                ending: 'tsr',
              },
            )
          }
        >
          <Trans>Save the time stamp</Trans>
        </Button>
      )}
    </>
  )
}

/** Checkpoints that the log does not continue. */
function Contradictions({ sealed: { contradictions } }: { sealed: SealedLog }) {
  const { t } = useLingui()
  if (contradictions.length === 0) return null
  return (
    <Alert color="red" icon={<Icon name="warning" />} title={t`The log contradicts a checkpoint`}>
      <Trans>Nothing is destroyed until the operator has resolved this.</Trans>
      <List size="sm" mt="xs">
        {contradictions.map(({ holder, size, fault, found_at }) => (
          <List.Item key={`${holder} ${size}`}>
            <HolderName holder={holder} />, <Time at={found_at} style="second" />:{' '}
            <FaultWords fault={fault} size={size} />
          </List.Item>
        ))}
      </List>
    </Alert>
  )
}

/** Why the log contradicts a checkpoint. */
function FaultWords({ fault, size }: Pick<SealedLog['contradictions'][number], 'fault' | 'size'>) {
  if (fault === 'cut_off')
    return (
      <Plural
        value={size}
        one="covers # entry, which the log does not have. The log was cut off."
        other="covers # entries, more than the log has. The log was cut off."
      />
    )
  if (fault === 'changed')
    return (
      <Plural
        value={size}
        one="covers # entry that the log does not have. The log was changed or forked."
        other="covers # entries that the log does not have. The log was changed or forked."
      />
    )
  if (fault === 'faulty') return <Plural value={size} one="found # fault" other="found # faults" />
  return <Trans>is not a checkpoint that this server signed for the account</Trans>
}

/** Saves the whole log as a file. */
function SaveLog({ sealed }: { sealed: SealedLog }) {
  const { i18n } = useLingui()
  const [saved, setSaved] = useState<number>()
  const save = async () => {
    setSaved(0)
    try {
      const lines = await readSealedFile(sealed, setSaved)
      download(lines, 'sealed-log', { type: 'application/jsonl', ending: 'jsonl' })
    } catch (error) {
      noticeFailure(error)
    } finally {
      setSaved(undefined)
    }
  }
  const share = saved === undefined ? '' : i18n.number(saved / sealed.size, { style: 'percent' })
  return (
    <Button
      leftSection={<Icon name="download" size={16} />}
      disabled={saved !== undefined}
      onClick={() => void save()}
    >
      {saved === undefined ? <Trans>Save the log</Trans> : <Trans>Saving … {share}</Trans>}
    </Button>
  )
}
