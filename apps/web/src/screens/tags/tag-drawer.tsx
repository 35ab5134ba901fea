import { type StoredTag, TagInput, TagKey } from '@custodia/contract'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Input, SegmentedControl, Select, Switch, TagsInput, Text, TextInput } from '@mantine/core'
import { api } from '../../api/api.ts'
import { noticeDone } from '../../api/notices.ts'
import { recordQuery } from '../../api/queries.ts'
import { useMay } from '../../api/use-profile.ts'
import { ReviewedDrawer, useReviewedForm } from '../../components/review/reviewed-form.tsx'
import { movesRights } from '../../components/review/use-review.ts'
import { DeleteButton } from '../../ui/act-button.tsx'
import { getStored } from '../../ui/form/conflict.ts'
import { shapeFaults } from '../../ui/form/faults.ts'
import { readOnlyLook } from '../../ui/form/read-only.ts'
import { recordDrawer, type RecordFormProps } from '../../ui/form/record-drawer.tsx'
import { BrokenGroups, strips } from './broken-groups.tsx'
import { draftOfTag, NEW_TAG, type TagDraft, tagInput } from './tag-form.ts'

const tagQuery = recordQuery('readTag', (tag_key, options) =>
  api.readTag({ params: { tag_key }, query: {} }, options),
)

/** Creates or edits a tag definition. */
export default recordDrawer(tagQuery, TagForm)

function TagForm({ record: tag, onClose, onReload, readNewest }: RecordFormProps<StoredTag>) {
  const { t } = useLingui()
  const isReadOnly = !useMay()('tags:update')
  const labels = {
    tag_key: t`Key`,
    tag_values: t`Values`,
    values: t`Values`,
    listed: t`Allowed values`,
    is_required: t`Required`,
    default_value: t`Default`,
  }
  const form = useTagForm(getStored(tag, readNewest, draftOfTag), tag, labels, onClose)
  const { found } = form
  const broken = found?.broken_count ?? 0
  return (
    <ReviewedDrawer
      title={tag === undefined ? t`Create tag` : tag.tag_key}
      form={form}
      onClose={onClose}
      onReload={onReload}
      isReadOnly={isReadOnly}
      isForbidden={found !== undefined && found.warnings.length > 0}
      isDangerous={found?.broken_groups.some(strips) ?? false}
      submitLabel={broken > 0 && <Plural value={broken} one="Apply to # group" other="Apply to # groups" />}
      notice={
        found !== undefined &&
        broken > 0 && <BrokenGroups groups={found.broken_groups} count={broken} obstacles={found.warnings} />
      }
      actions={tag && <DeleteTag tag={tag} onDeleted={form.leaving(onClose)} />}
    >
      <TextInput
        label={labels.tag_key}
        description={t`The property it describes, for example region`}
        {...form.field('tag_key')}
        {...readOnlyLook(tag !== undefined || isReadOnly)}
        required={tag === undefined}
        data-autofocus={tag === undefined || undefined}
      />
      <ValuesField form={form} label={labels.tag_values} isReadOnly={isReadOnly} />
      <Switch
        label={labels.is_required}
        description={t`Every group has it; others get the default`}
        {...form.flag('is_required')}
        disabled={isReadOnly}
      />
      <DefaultField form={form} label={labels.default_value} isReadOnly={isReadOnly} />
    </ReviewedDrawer>
  )
}

const getCall = (draft: TagDraft) => ({ params: { tag_key: draft.tag_key.trim() }, body: tagInput(draft) })

function useTagForm(
  stored: ReturnType<typeof getStored<StoredTag, TagDraft>>,
  tag: StoredTag | undefined,
  labels: Record<'tag_key' | 'tag_values' | 'is_required' | 'default_value', string>,
  onClose: () => void,
) {
  const { t } = useLingui()
  const may = useMay()
  return useReviewedForm({
    initial: tag === undefined ? NEW_TAG : draftOfTag(tag),
    check: (draft: TagDraft) => [
      ...shapeFaults(TagKey, draft.tag_key.trim(), 'tag_key'),
      ...shapeFaults(TagInput, tagInput(draft)),
    ],
    labels,
    getField: { already_exists: 'tag_key' },
    stored,
    review: may('tags:review')
      ? (draft: TagDraft) => api.reviewTag({ ...getCall(draft), query: {} })
      : undefined,
    wantsWord: (review) => review.broken_count > 0 || movesRights(review),
    save: (draft, review, version) =>
      api.saveTag(
        {
          ...getCall(draft),
          query: {
            ...(review !== null && review.broken_count > 0 ? { force_update: true } : {}),
            ...(review?.impact.locks_out ? { confirm_lockout: true } : {}),
          },
        },
        tag === undefined ? { if_none_match: true } : { if_match: version },
      ),
    onSaved: ({ tag_key }: StoredTag) => {
      noticeDone(t`Tag ${tag_key} saved`)
      onClose()
    },
  })
}

interface FieldProps {
  form: ReturnType<typeof useTagForm>
  label: string
  isReadOnly: boolean
}

/** Which values the tag allows. */
function ValuesField({ form, label, isReadOnly }: FieldProps) {
  const { t } = useLingui()
  const { values, errorAt } = form
  return (
    <>
      <Input.Wrapper label={label} labelElement="div">
        <SegmentedControl
          fullWidth
          aria-label={label}
          readOnly={isReadOnly}
          data={[
            { value: 'any', label: t`Any` },
            { value: 'listed', label: t`Listed values only` },
            { value: 'none', label: t`None` },
          ]}
          value={values.values}
          onChange={(next) => form.set({ values: next as TagDraft['values'] })}
        />
      </Input.Wrapper>
      {values.values === 'listed' && (
        <TagsInput
          label={t`Allowed values`}
          description={t`Press Enter after each value`}
          value={values.listed}
          onChange={(listed) => form.set({ listed })}
          {...readOnlyLook(isReadOnly)}
          splitChars={[]}
          acceptValueOnBlur
          error={errorAt('tag_values')}
          clearButtonProps={{ 'aria-label': t`Clear` }}
          clearable
        />
      )}
      {values.values === 'none' && <Input.Error component="div">{errorAt('tag_values')}</Input.Error>}
    </>
  )
}

function DefaultField({ form, label, isReadOnly }: FieldProps) {
  const { t } = useLingui()
  const { values, errorAt } = form
  return values.values === 'listed' ? (
    <Select
      label={label}
      data={[...new Set(values.listed)]}
      value={values.default_value === '' ? null : values.default_value}
      onChange={(next) => form.set({ default_value: next ?? '' })}
      error={errorAt('default_value')}
      placeholder={t`No default`}
      {...readOnlyLook(isReadOnly)}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': t`Clear` }}
      nothingFoundMessage={t`Nothing found`}
    />
  ) : (
    values.values === 'any' && (
      <TextInput
        label={label}
        placeholder={t`No default`}
        {...form.field('default_value')}
        {...readOnlyLook(isReadOnly)}
        maxLength={255}
      />
    )
  )
}

/** Groups keep their tags, which become free tags. */
function DeleteTag({ tag, onDeleted }: { tag: StoredTag; onDeleted: () => void }) {
  const { t } = useLingui()
  const { tag_key, version, groups } = tag
  return (
    <DeleteButton
      action="tags:delete"
      question={t`Delete the tag ${tag_key}?`}
      done={t`Tag ${tag_key} deleted`}
      onDelete={() => api.deleteTag({ params: { tag_key }, query: {} }, { if_match: version })}
      onDeleted={onDeleted}
    >
      <Text>
        {groups === 0 ? (
          <Trans>No group has it.</Trans>
        ) : (
          <Plural
            value={groups}
            one="# group keeps the tag with any value."
            other="# groups keep the tag with any value."
          />
        )}
      </Text>
    </DeleteButton>
  )
}
