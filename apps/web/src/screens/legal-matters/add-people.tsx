import { BATCH_LIMIT, type HoldTarget, type LegalMatter, type MATTER_STATUSES } from '@custodia/contract'
import type { MessageDescriptor } from '@lingui/core'
import { msg, plural } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import {
  Alert,
  Button,
  FileButton,
  Group,
  List,
  SegmentedControl,
  Select,
  Stack,
  Text,
  Textarea,
} from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { failureText } from '../../api/failure-text.ts'
import { holdsApi } from '../../api/governance-api.ts'
import { noticeDone } from '../../api/notices.ts'
import { groupChoicesQuery } from '../../api/queries.ts'
import { useMay } from '../../api/use-profile.ts'
import { UserSelect } from '../../components/devices/user-select.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { decodeText, parseCsv } from '../../ui/files.ts'
import { useUnsaved } from '../../ui/form/use-unsaved.ts'
import { Icon } from '../../ui/icon.tsx'
import { visible } from '../../ui/visible.ts'

type Kind = HoldTarget | 'Group'
type Outcome = { target: string; status: (typeof MATTER_STATUSES)[number] }

const REFUSED: Readonly<Record<'NoMatchingRecord' | 'ReservedName', MessageDescriptor>> = {
  NoMatchingRecord: msg`This device user does not exist.`,
  ReservedName: msg`No records have this name.`,
}

/** One name per line. */
const getLines = (text: string): string[] => [
  ...new Set(
    text
      .split(/\r?\n/)
      .map((line) => line.trim())
      .filter((line) => line !== ''),
  ),
]

/** Adds people to a matter: names, one per line or from the first column of a file, or all of a group. */
export function AddPeople({ matter, onClose }: { matter: LegalMatter; onClose: () => void }) {
  const { t, i18n } = useLingui()
  const [kind, setKind] = useState<Kind>('DeviceUser')
  const [text, setText] = useState('')
  const [group, setGroup] = useState<string | null>(null)
  const holding = useHolding(matter, { kind, text, group }, onClose)
  const refused = getRefused(holding.data ?? [])
  useUnsaved(text !== '' || group !== null, holding.isPending)
  const isReady = kind === 'Group' ? group !== null : getLines(text).length > 0
  const name = visible(matter.name)
  return (
    <Dialog title={t`Place on legal hold: ${name}`} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (isReady) holding.mutate()
        }}
      >
        <Stack>
          {holding.error !== null && (
            <Alert color="red" role="alert" icon={<Icon name="alert-circle" />}>
              {failureText(holding.error, i18n)}
            </Alert>
          )}
          {refused.length > 0 && <RefusedAlert refused={refused} />}
          <SegmentedControl
            fullWidth
            aria-label={t`Kind`}
            data={[
              { value: 'DeviceUser', label: t`Device users` },
              { value: 'PortalUser', label: t`Portal users` },
              { value: 'Group', label: t`A group` },
            ]}
            value={kind}
            onChange={(next) => setKind(next as Kind)}
          />
          {kind === 'Group' ? (
            <GroupField group={group} onChange={setGroup} />
          ) : (
            <NamesField kind={kind} text={text} onChange={setText} />
          )}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              {refused.length > 0 ? <Trans>Close</Trans> : <Trans>Cancel</Trans>}
            </Button>
            <Button
              type="submit"
              loading={holding.isPending}
              disabled={!isReady}
              leftSection={<Icon name="lock" size={16} />}
            >
              <Trans>Place on hold</Trans>
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}

/** Names that were not placed on hold, and why. */
const getRefused = (result: readonly Outcome[]) =>
  result.flatMap(({ target, status }) =>
    status in REFUSED ? [{ target, why: REFUSED[status as keyof typeof REFUSED] }] : [],
  )

function useHolding(
  { matter_id }: LegalMatter,
  { kind, text, group }: { kind: Kind; text: string; group: string | null },
  onClose: () => void,
) {
  const { t } = useLingui()
  const params = { matter_id }
  return useMutation({
    mutationFn: async (): Promise<Outcome[]> => {
      if (kind === 'Group')
        return (await holdsApi.holdMatterPeople({ params, query: {}, body: { group: group ?? '' } })).data
      const result: Outcome[] = []
      const names = getLines(text)
      for (let i = 0; i < names.length; i += BATCH_LIMIT) {
        const people = names.slice(i, i + BATCH_LIMIT).map((target) => ({ target_type: kind, target }))
        result.push(...(await holdsApi.holdMatterPeople({ params, query: {}, body: { people } })).data)
      }
      return result
    },
    onSuccess: (result) => {
      const count = result.filter(({ status }) => status === 'Ok').length
      noticeDone(
        t`${plural(count, { 0: 'No people added', one: '# person placed on hold', other: '# people placed on hold' })}`,
      )
      if (getRefused(result).length === 0) onClose()
    },
  })
}

function RefusedAlert({ refused }: { refused: ReturnType<typeof getRefused> }) {
  const { t, i18n } = useLingui()
  return (
    <Alert color="orange" role="alert" icon={<Icon name="warning" />} title={t`Not placed on hold`}>
      <List size="sm">
        {refused.map(({ target, why }) => (
          <List.Item key={target}>
            {visible(target)}: {i18n._(why)}
          </List.Item>
        ))}
      </List>
    </Alert>
  )
}

function GroupField({ group, onChange }: { group: string | null; onChange: (group: string | null) => void }) {
  const { t } = useLingui()
  const groups = useQuery({ ...groupChoicesQuery, enabled: useMay()('groups:list') })
  return (
    <Select
      label={t`Group`}
      description={t`All current members. Later members are not included.`}
      data={(groups.data ?? []).map(({ group_reference }) => ({
        value: group_reference,
        label: visible(group_reference),
      }))}
      value={group}
      onChange={onChange}
      searchable
    />
  )
}

function NamesField(props: { kind: HoldTarget; text: string; onChange: (text: string) => void }) {
  const { t } = useLingui()
  const { kind, text, onChange } = props
  const isOfDevices = kind === 'DeviceUser'
  const list = useRef<HTMLTextAreaElement>(null)
  const [added, setAdded] = useState(0)
  const add = (reference: string | null) => {
    if (reference === null) return
    onChange([...getLines(text), reference].join('\n'))
    // An empty field for the next name; the list shows the choice.
    setAdded(added + 1)
    list.current?.focus()
  }
  const readFile = async (file: File) => {
    const lines = parseCsv(decodeText(await file.arrayBuffer()))
    onChange(lines.map(({ cells }) => cells[0] ?? '').join('\n'))
  }
  return (
    <>
      {isOfDevices && (
        <UserSelect
          key={added}
          label={t`Device user`}
          description={t`Adds the reference of the person to the list`}
          value={null}
          onChange={add}
          none={t`Type a name`}
          isFirst
        />
      )}
      <Textarea
        ref={list}
        label={isOfDevices ? t`References` : t`Names`}
        description={
          isOfDevices
            ? t`Device users, one per line. Protects their recordings, and those of phones that they held`
            : t`Sign-in names, one per line. They need not have signed in yet`
        }
        value={text}
        onChange={(event) => onChange(event.currentTarget.value)}
        autosize
        minRows={4}
        maxRows={12}
        spellCheck={false}
        {...(!isOfDevices && { 'data-autofocus': true })}
      />
      <Group gap="xs">
        <FileButton accept=".csv,text/csv,text/plain" onChange={(file) => file && void readFile(file)}>
          {(button) => (
            <Button {...button} variant="default" size="xs" leftSection={<Icon name="upload" size={15} />}>
              <Trans>From a CSV file</Trans>
            </Button>
          )}
        </FileButton>
        <Text size="sm" c="dimmed">
          <Trans>The first column is used.</Trans>
        </Text>
      </Group>
    </>
  )
}
