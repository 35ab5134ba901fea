import { MIGRATION_KINDS, type MigrationFile } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Alert, Anchor, Badge, Button, Group, Progress, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { getKey } from '../../api/call-keys.ts'
import { failureText } from '../../api/failure-text.ts'
import { migrationsApi } from '../../api/transfers-api.ts'
import { useMay } from '../../api/use-profile.ts'
import { ActButton } from '../../ui/act-button.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { Icon } from '../../ui/icon.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { visible } from '../../ui/visible.ts'
import { chosenFiles, DuplicatePath } from './chosen-files.ts'
import { MigrationSteps } from './migration-steps.tsx'
import { FILE_KIND_WORDS } from './migration-words.ts'
import { DryRunButton, ImportButton } from './start-buttons.tsx'
import { uploadFile } from './upload-file.ts'

/** Maximum files listed; others are counted. */
const SHOWN = 200

/** `/dashboard/account/migrations?tab=files`: the drop folder and uploads to it. */
export default function FilesPage() {
  const { t } = useLingui()
  const query = useQuery({
    queryKey: getKey('listMigrationFiles'),
    queryFn: async ({ signal }) => {
      const page = await migrationsApi.listMigrationFiles({ query: { limit: SHOWN } }, { signal })
      return page
    },
  })
  const [isUploading, setUploading] = useState(false)
  const hasRows = query.data?.data.some(({ kind, is_whole }) => is_whole && isRows(kind)) ?? false
  return (
    <>
      <PageHeader
        title={t`Drop folder`}
        description={t`Files of the legacy platform, unencrypted until they are imported and erased.`}
        actions={
          hasRows && (
            <>
              <DryRunButton isPrimary isDisabled={isUploading} />
              <ImportButton isDisabled={isUploading} />
            </>
          )
        }
      />
      <MigrationSteps at={hasRows && !isUploading ? 'check' : 'upload'} />
      <Stack gap="lg">
        <UploadFiles onBusy={setUploading} onUploaded={query.refetch} />
        <QueryResult query={query} height={280}>
          {({ data }) => <Files files={data} onRemoved={() => void query.refetch()} />}
        </QueryResult>
      </Stack>
    </>
  )
}

/** Whether files of this kind have the rows of an import. */
const isRows = (kind: MigrationFile['kind']) => (MIGRATION_KINDS as readonly string[]).includes(kind)

interface UploadMethod {
  filename: string
  bytes: number
  size: number
}

/** Uploads files one by one; resumes interrupted ones. */
function UploadFiles(props: { onBusy: (isBusy: boolean) => void; onUploaded: () => Promise<unknown> }) {
  const { t, i18n } = useLingui()
  const [way, setWay] = useState<UploadMethod>()
  const [failure, setFailure] = useState<string>()
  const may = useMay()('migrations.files:update')
  const upload = async (files: readonly File[]) => {
    setFailure(undefined)
    props.onBusy(true)
    try {
      for (const { filename, read } of await chosenFiles(files)) {
        const file = await read()
        await uploadFile(file, filename, (bytes) => setWay({ filename, bytes, size: file.size }))
      }
    } catch (error) {
      const name = error instanceof DuplicatePath ? visible(error.filename) : undefined
      setFailure(
        name === undefined ? failureText(error, i18n) : t`Two files would be ${name}. Rename one of them.`,
      )
    }
    setWay(undefined)
    await props.onUploaded()
    props.onBusy(false)
  }
  if (!may) return null
  return (
    <Stack gap="xs">
      <Group gap="xs">
        <Choose label={t`Add files`} isBusy={way !== undefined} onChosen={(files) => void upload(files)} />
        <Choose
          label={t`Add a folder`}
          isFolder
          isBusy={way !== undefined}
          onChosen={(files) => void upload(files)}
        />
        <Anchor href="/migration-example.zip" download>
          <Trans>Download an example</Trans>
        </Anchor>
      </Group>
      {way && (
        <div>
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            {visible(way.filename)}
          </Text>
          <Progress
            value={way.size === 0 ? 100 : (way.bytes / way.size) * 100}
            aria-label={visible(way.filename)}
          />
        </div>
      )}
      {failure !== undefined && (
        <Alert color="red" role="alert" icon={<Icon name="alert-circle" />} title={failure}>
          <Trans>Choose the same file again to continue the upload.</Trans>
        </Alert>
      )}
    </Stack>
  )
}

function Choose(props: {
  label: string
  isFolder?: boolean
  isBusy: boolean
  onChosen: (files: readonly File[]) => void
}) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        {...(props.isFolder && { webkitdirectory: '' })}
        hidden
        aria-label={props.label}
        onChange={({ currentTarget }) => {
          props.onChosen([...(currentTarget.files ?? [])])
          // Allows the same file to be chosen again.
          currentTarget.value = ''
        }}
      />
      <Button
        variant="default"
        leftSection={<Icon name="upload" size={16} />}
        disabled={props.isBusy}
        onClick={() => input.current?.click()}
      >
        {props.label}
      </Button>
    </>
  )
}

function Files({ files, onRemoved }: { files: readonly MigrationFile[]; onRemoved: () => void }) {
  const { t, i18n } = useLingui()
  if (files.length === 0)
    return (
      <EmptyState
        icon="upload"
        title={t`The drop folder is empty`}
        description={t`Add the files of your legacy platform, or a zip with all of them. Files named groups, users, devices or payloads have the rows; all others are recordings.`}
      />
    )
  return (
    <DataTable
      caption={t`Files in the drop folder`}
      rows={files}
      getKey={({ filename, is_whole }) => `${filename} ${is_whole}`}
      columns={[
        {
          label: t({ context: 'migration', message: 'File' }),
          cell: ({ filename }) => <span style={{ overflowWrap: 'anywhere' }}>{visible(filename)}</span>,
        },
        {
          label: t({ context: 'migration', message: 'What' }),
          cell: ({ kind }) => i18n._(FILE_KIND_WORDS[kind]),
        },
        { label: t({ context: 'migration', message: 'Bytes' }), count: ({ received }) => received },
        {
          label: t`State`,
          cell: ({ is_whole }) =>
            is_whole ? (
              <Badge color="green">
                <Trans context="file of a migration">Whole</Trans>
              </Badge>
            ) : (
              <Badge color="gray">
                <Trans context="file of a migration">Uploading</Trans>
              </Badge>
            ),
        },
      ]}
      actions={(file) => (
        <ActButton
          action="migrations.files:delete"
          icon="trash"
          label={t`Remove`}
          question={t`Remove the file from the drop folder?`}
          done={t`File removed`}
          isDangerous
          variant="subtle"
          onAct={async () => {
            await migrationsApi.deleteMigrationFile({ query: { filename: file.filename } })
            onRemoved()
          }}
        >
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            {visible(file.filename)}
          </Text>
        </ActButton>
      )}
    />
  )
}
