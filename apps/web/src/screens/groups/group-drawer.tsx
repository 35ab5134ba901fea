import { ApiProblem } from '@custodia/client'
import { GroupInput, GroupReference, type StoredGroup } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { api } from '../../api/api.ts'
import { noticeDone } from '../../api/notices.ts'
import { useMay } from '../../api/use-profile.ts'
import { tagDefinitionsQuery } from '../../components/choices.ts'
import { ReviewedDrawer, useReviewedForm } from '../../components/review/reviewed-form.tsx'
import { movesRights } from '../../components/review/use-review.ts'
import { DeleteButton } from '../../ui/delete-button.tsx'
import { shapeFaults } from '../../ui/form/faults.ts'
import { readOnlyLook } from '../../ui/form/read-only.ts'
import { recordDrawer, type RecordFormProps } from '../../ui/form/record-drawer.tsx'
import { groupQuery } from './group-query.ts'
import { type TagDraft, TagFields } from './tag-fields.tsx'

const SIZE = 560

/** Creates a group, or edits its tags. */
export default recordDrawer(groupQuery, GroupForm, SIZE)

interface GroupDraft {
  group_reference: string
  tags: TagDraft[]
}

const referenceOf = ({ group_reference }: GroupDraft): string => group_reference.trim()
const inputOf = ({ tags }: GroupDraft): GroupInput => ({
  tags: tags.map(({ key, value }) => ({ key: key.trim(), value })),
})
const callOf = (draft: GroupDraft) => ({
  params: { group_reference: referenceOf(draft) },
  body: inputOf(draft),
})

function GroupForm({ record: group, onClose, onReload }: RecordFormProps<StoredGroup>) {
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
    initial: {
      group_reference: group?.group_reference ?? '',
      tags: (group?.tags ?? []).map((tag, id) => ({ ...tag, id })),
    },
    check: (draft: GroupDraft) => [
      ...shapeFaults(GroupReference, referenceOf(draft), 'group_reference'),
      ...shapeFaults(GroupInput, inputOf(draft)),
    ],
    labels,
    fieldOf: { already_exists: 'group_reference' },
    review: may('groups:review') ? (draft) => api.reviewGroup({ ...callOf(draft), query: {} }) : undefined,
    wantsWord: movesRights,
    save: (draft, review) =>
      api.saveGroup(
        { ...callOf(draft), query: review?.impact.locks_out ? { confirm_lockout: true } : {} },
        group === undefined ? { if_none_match: true } : { if_match: group.version },
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
