import { ApiProblem } from '@custodia/client'
import {
  GROUP_TAG_LIMIT,
  GroupInput,
  GroupReference,
  type GroupTag,
  type StoredGroup,
  type StoredTag,
} from '@custodia/contract'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { ActionIcon, Autocomplete, Badge, Button, Group, Input, Select, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import { api } from '../../api/api.ts'
import { noticeDone } from '../../api/notices.ts'
import { tagDefinitionsQuery } from '../../api/queries.ts'
import { useMay } from '../../api/use-profile.ts'
import { ReviewedDrawer, useReviewedForm } from '../../components/review/reviewed-form.tsx'
import { movesRights } from '../../components/review/use-review.ts'
import { DeleteButton } from '../../ui/act-button.tsx'
import { getStored } from '../../ui/form/conflict.ts'
import { shapeFaults } from '../../ui/form/faults.ts'
import { FieldGroup } from '../../ui/form/field-group.tsx'
import { readOnlyLook } from '../../ui/form/read-only.ts'
import { recordDrawer, type RecordFormProps } from '../../ui/form/record-drawer.tsx'
import { Icon } from '../../ui/icon.tsx'
import { groupQuery } from './group-preview.tsx'
import classes from './groups.module.css'

/** A tag in the form; `id` is its stable React key. */
interface TagDraft extends GroupTag {
  id: number
}

/** One tag: a defined or free key, and a value that its definition allows. */
function TagRow(props: {
  tag: TagDraft
  number: number
  definitions: readonly StoredTag[]
  errorAt: (name: 'key' | 'value') => string | undefined
  onChange: (to: Partial<GroupTag>) => void
  /** Absent: the tags are read-only. */
  onRemove: (() => void) | undefined
}) {
  const { t } = useLingui()
  const { tag, number, definitions, errorAt, onChange, onRemove } = props
  const look = readOnlyLook(onRemove === undefined)
  const definition = definitions.find(({ tag_key }) => tag_key === tag.key)
  const listed = definition?.tag_values ?? []
  const isRetired = tag.value !== '' && !listed.includes(tag.value)
  const valueError = errorAt('value')
  return (
    <div className={classes.tag} data-tag={tag.id}>
      <Autocomplete
        aria-label={t`Key of tag ${number}`}
        placeholder={t`Key`}
        data={definitions.map(({ tag_key }) => tag_key)}
        value={tag.key}
        onChange={(key) => onChange({ key })}
        maxLength={60}
        error={errorAt('key')}
        {...look}
      />
      {listed.length > 0 ? (
        <Select
          aria-label={t`Value of tag ${number}`}
          placeholder={t`Value`}
          data={listed}
          value={tag.value === '' ? null : tag.value}
          onChange={(value) => onChange({ value: value ?? '' })}
          error={valueError ?? (isRetired ? t`${tag.value} is no longer allowed` : undefined)}
          {...look}
          searchable
          nothingFoundMessage={t`Nothing found`}
        />
      ) : (
        <TextInput
          aria-label={t`Value of tag ${number}`}
          placeholder={t`Value`}
          value={tag.value}
          onChange={(event) => onChange({ value: event.currentTarget.value })}
          maxLength={255}
          error={valueError ?? (definition?.tag_values?.length === 0 ? t`No value is allowed` : undefined)}
          {...look}
        />
      )}
      {onRemove && (
        <ActionIcon
          size={32}
          variant="subtle"
          color="gray"
          aria-label={t`Remove tag ${number}`}
          onClick={onRemove}
        >
          <Icon name="x" size={16} />
        </ActionIcon>
      )}
    </div>
  )
}

function AddTag({ isFull, onAdd }: { isFull: boolean; onAdd: () => void }) {
  return (
    <Group gap="sm">
      <Button
        data-add
        size="xs"
        variant="default"
        leftSection={<Icon name="plus" size={14} />}
        disabled={isFull}
        onClick={onAdd}
      >
        <Trans>Add tag</Trans>
      </Button>
      {isFull && (
        <Text size="sm" c="dimmed">
          <Plural
            value={GROUP_TAG_LIMIT}
            one="A group has at most # tag."
            other="A group has at most # tags."
          />
        </Text>
      )}
    </Group>
  )
}

/** Required tags that the server adds. */
function RequiredTags({
  tags,
  definitions,
}: {
  tags: readonly TagDraft[]
  definitions: readonly StoredTag[]
}) {
  const missing = definitions.filter(
    ({ is_required, tag_key }) => is_required && !tags.some(({ key }) => key === tag_key),
  )
  if (missing.length === 0) return null
  return (
    <Text size="sm" c="dimmed" component="div">
      <Trans>Added when saved:</Trans>{' '}
      {missing.map(({ tag_key, default_value }) => (
        <Badge key={tag_key} mr={4} color="gray">
          {tag_key} {default_value}
        </Badge>
      ))}
    </Text>
  )
}

/** Changes of the tags, each with the focus where the next key press belongs. */
function useTagEdits(tags: readonly TagDraft[], onChange: (tags: TagDraft[]) => void) {
  const frame = useRef<HTMLFieldSetElement>(null)
  const change = (id: number, to: Partial<GroupTag>) =>
    onChange(tags.map((tag) => (tag.id === id ? { ...tag, ...to } : tag)))
  const focusSoon = (selector: string) =>
    requestAnimationFrame(() => frame.current?.querySelector<HTMLElement>(selector)?.focus())
  const add = () => {
    const id = Math.max(0, ...tags.map((tag) => tag.id)) + 1
    onChange([...tags, { id, key: '', value: '' }])
    focusSoon(`[data-tag="${id}"] input`)
  }
  const remove = (index: number) => {
    onChange(tags.filter((_, place) => place !== index))
    const next = tags[index + 1] ?? tags[index - 1]
    focusSoon(next === undefined ? '[data-add]' : `[data-tag="${next.id}"] input`)
  }
  return { frame, change, add, remove }
}

/** Tags of a group: defined or free keys, values by their definition. */
function TagFields(props: {
  tags: readonly TagDraft[]
  onChange: (tags: TagDraft[]) => void
  definitions: readonly StoredTag[]
  errorAt: (path: string) => string | undefined
  isReadOnly: boolean
}) {
  const { t } = useLingui()
  const { tags, onChange, definitions, errorAt, isReadOnly } = props
  const { frame, change, add, remove } = useTagEdits(tags, onChange)
  return (
    <FieldGroup ref={frame} label={t`Tags`}>
      {tags.length === 0 && (
        <Text size="sm" c="dimmed">
          <Trans>No tags yet. Roles can target groups by tag.</Trans>
        </Text>
      )}
      {tags.map((tag, index) => (
        <TagRow
          key={tag.id}
          tag={tag}
          number={index + 1}
          definitions={definitions}
          errorAt={(name) => errorAt(`tags.${index}.${name}`)}
          onChange={(to) => change(tag.id, to)}
          onRemove={isReadOnly ? undefined : () => remove(index)}
        />
      ))}
      {errorAt('tags') !== undefined && tags.every((_, index) => errorAt(`tags.${index}`) === undefined) && (
        <Input.Error component="div">{errorAt('tags')}</Input.Error>
      )}
      {!isReadOnly && <AddTag isFull={tags.length >= GROUP_TAG_LIMIT} onAdd={add} />}
      <RequiredTags tags={tags} definitions={definitions} />
    </FieldGroup>
  )
}

const SIZE = 560

/** Creates a group, or edits its tags. */
export default recordDrawer(groupQuery, GroupForm, SIZE)

interface GroupDraft {
  group_reference: string
  tags: TagDraft[]
}

const getReference = ({ group_reference }: GroupDraft): string => group_reference.trim()
const getInput = ({ tags }: GroupDraft): GroupInput => ({
  tags: tags.map(({ key, value }) => ({ key: key.trim(), value })),
})
const getCall = (draft: GroupDraft) => ({
  params: { group_reference: getReference(draft) },
  body: getInput(draft),
})

const getDraft = (group: StoredGroup | undefined): GroupDraft => ({
  group_reference: group?.group_reference ?? '',
  tags: (group?.tags ?? []).map((tag, id) => ({ ...tag, id })),
})

function GroupForm({ record: group, onClose, onReload, readNewest }: RecordFormProps<StoredGroup>) {
  const { t } = useLingui()
  const may = useMay()
  const isReadOnly = !may('groups:update')
  const { data: definitions = [] } = useQuery({ ...tagDefinitionsQuery, enabled: may('tags:list') })
  const labels = {
    group_reference: t`Name`,
    tags: t`Tags`,
    'tags.*': (number: number) => t`Tag ${number}`,
    'tags.*.key': t`Key`,
    'tags.*.value': t`Value`,
  }
  const form = useReviewedForm({
    initial: getDraft(group),
    stored: getStored(group, readNewest, getDraft),
    check: (draft: GroupDraft) => [
      ...shapeFaults(GroupReference, getReference(draft), 'group_reference'),
      ...shapeFaults(GroupInput, getInput(draft)),
    ],
    labels,
    getField: { already_exists: 'group_reference' },
    review: may('groups:review') ? (draft) => api.reviewGroup({ ...getCall(draft), query: {} }) : undefined,
    wantsWord: movesRights,
    save: (draft, review, version) =>
      api.saveGroup(
        { ...getCall(draft), query: review?.impact.locks_out ? { confirm_lockout: true } : {} },
        group === undefined ? { if_none_match: true } : { if_match: version },
      ),
    onSaved: ({ group_reference }) => {
      noticeDone(t`Group ${group_reference} saved`)
      onClose()
    },
  })
  return (
    <ReviewedDrawer
      title={group === undefined ? t`Create group` : group.group_reference}
      form={form}
      onClose={onClose}
      onReload={onReload}
      isReadOnly={isReadOnly}
      actions={group && <DeleteGroup group={group} onDeleted={form.leaving(onClose)} />}
      size={SIZE}
    >
      <TextInput
        label={labels.group_reference}
        {...form.field('group_reference')}
        {...readOnlyLook(group !== undefined || isReadOnly)}
        required={group === undefined}
        data-autofocus={group === undefined || undefined}
      />
      <TagFields
        tags={form.values.tags}
        onChange={(tags) => form.set({ tags })}
        definitions={definitions}
        errorAt={form.errorAt}
        isReadOnly={isReadOnly}
      />
    </ReviewedDrawer>
  )
}

/** A group in use cannot be deleted: the error says what to do first. */
function DeleteGroup({ group, onDeleted }: { group: StoredGroup; onDeleted: () => void }) {
  const { t } = useLingui()
  const { group_reference, version } = group
  return (
    <DeleteButton
      action="groups:delete"
      question={t`Delete the group ${group_reference}?`}
      done={t`Group ${group_reference} deleted`}
      onDelete={() => api.deleteGroup({ params: { group_reference }, query: {} }, { if_match: version })}
      onDeleted={onDeleted}
      explain={(error) =>
        error instanceof ApiProblem && error.code === 'in_use' ? (
          <Trans>
            The group still has device users, devices, recordings, apps or account defaults. Move them first;
            recordings keep the group until deletion.
          </Trans>
        ) : undefined
      }
    >
      <Text>
        <Trans>Only an empty group can be deleted. Roles keep its name.</Trans>
      </Text>
    </DeleteButton>
  )
}
