import type { PayloadType } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useMemo, useState } from 'react'
import { api } from '../../api/api.ts'
import { faultText } from '../../api/failure-text.ts'
import { noticeDone } from '../../api/notices.ts'
import { useMay, useProfile } from '../../api/use-profile.ts'
import { ReviewQuestion, useReviewedForm } from '../../components/review/reviewed-form.tsx'
import { isSevere } from '../../components/review/use-review.ts'
import { PAYLOAD_TYPE_WORDS } from '../../components/words/payload-words.ts'
import type { EditedRecord } from '../../ui/form/conflict.ts'
import { textsAt } from '../../ui/form/faults.ts'
import { FormPage } from '../../ui/form/form-page.tsx'
import { suggestions } from './nouns.ts'
import { type RoleDraft, roleFaults, roleInput, type RuleDraft } from './role-draft.ts'
import { alertLabels, RoleFields } from './role-fields.tsx'
import { groupsOfRules } from './role-groups.ts'
import { RolePreview, useRolePreview } from './role-preview.tsx'
import { RuleList } from './rule-list.tsx'
import classes from './role-editor.module.css'

/** The rules of a role as one line. */
const rulesText = (rules: readonly RuleDraft[], deny: string) =>
  rules
    .map(({ actions_matching, is_denied, conditions }) =>
      [
        ...(is_denied ? [deny] : []),
        actions_matching.join(', '),
        ...conditions.map(({ names_matching, keys_matching, values_matching }) =>
          [...names_matching, ...keys_matching, ...values_matching].join(', '),
        ),
      ].join(' · '),
    )
    .join('; ')

const getCall = (draft: RoleDraft) => ({
  params: { role_reference: draft.role_reference.trim() },
  body: roleInput(draft),
})

function useRoleForm(
  { initial, stored }: { initial: RoleDraft; stored?: EditedRecord<RoleDraft> },
  onSaved: () => void,
) {
  const { t, i18n } = useLingui()
  const may = useMay()
  const labels = {
    role_reference: t`Name`,
    description: t`Description`,
    permissions: t`Rules`,
    'permissions.*': (number: number) => t`Rule ${number}`,
    'permissions.*.actions_matching': t`Actions`,
    'permissions.*.conditions.*': (number: number) => t`condition ${number}`,
    'permissions.*.conditions.*.names_matching': t`Name`,
    'permissions.*.conditions.*.keys_matching': t`Tag key`,
    'permissions.*.conditions.*.values_matching': t`Tag value`,
    payload_types: t`Payload types`,
    cidr_ranges: t`Networks`,
    is_alertable: t`Raise an alert when it is used`,
    ...alertLabels(i18n),
  }
  const form = useReviewedForm({
    initial,
    check: roleFaults,
    labels,
    texts: {
      permissions: (rules: readonly RuleDraft[]) => rulesText(rules, t`Deny`),
      payload_types: (types: readonly PayloadType[]) =>
        types.map((type) => i18n._(PAYLOAD_TYPE_WORDS[type])).join(', '),
    },
    stored,
    getField: { already_exists: 'role_reference' },
    review: may('roles:review') ? (draft) => api.reviewRole({ ...getCall(draft), query: {} }) : undefined,
    wantsWord: isSevere,
    save: (draft, review, version) =>
      api.saveRole(
        { ...getCall(draft), query: review?.impact.locks_out ? { confirm_lockout: true } : {} },
        stored === undefined ? { if_none_match: true } : { if_match: version },
      ),
    onSaved: ({ role_reference }) => {
      noticeDone(t`Role ${role_reference} saved`)
      onSaved()
    },
  })
  return { ...form, labels }
}

/** The rules, folded unless they are empty, in error or more than a list of groups. */
function ExpertRules(props: {
  rules: readonly RuleDraft[]
  errorAt: (path: string) => string | undefined
  children: ReactNode
}) {
  const { rules, errorAt } = props
  const [isOpen, setOpen] = useState(
    () =>
      groupsOfRules(rules) === undefined ||
      rules.every(({ actions_matching }) => actions_matching.length === 0),
  )
  const hasError = [
    'permissions',
    ...rules.flatMap(({ conditions }, i) => [
      `permissions.${i}`,
      `permissions.${i}.actions_matching`,
      ...conditions.map((_, k) => `permissions.${i}.conditions.${k}`),
    ]),
  ].some((path) => errorAt(path) !== undefined)
  return (
    <details
      className={classes.expert}
      open={isOpen || hasError}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>
        <Trans>Expert: rules and regular expressions</Trans>
      </summary>
      {props.children}
    </details>
  )
}

/** Editor of a role's rights with a live preview. Without `stored` it creates a role. */
export function RoleEditor(props: {
  initial: RoleDraft
  stored?: EditedRecord<RoleDraft>
  isReadOnly: boolean
  readOnlyReason?: ReactNode
  onReload?: () => void
}) {
  const { i18n } = useLingui()
  const { stored, isReadOnly } = props
  const { actions } = useProfile()
  const navigate = useNavigate()
  const toList = () => void navigate({ to: '/dashboard/access/roles', search: {} })
  const form = useRoleForm(props, toList)
  const { values, set } = form
  const preview = useRolePreview(values)
  // Preview faults show at their fields before a save.
  const refused = preview.isStale ? [] : (preview.review?.problems ?? [])
  const errorAt = (path: string) => {
    const texts = textsAt(refused, path, values, (fault) => faultText(fault, i18n))
    return form.errorAt(path) ?? (texts.length === 0 ? undefined : texts.join(' '))
  }
  const known = preview.review?.actions
  const offered = useMemo(
    () => suggestions([...actions, ...(known ?? []).map(({ action }) => action)]),
    [actions, known],
  )
  return (
    <>
      <FormPage
        form={form}
        onReload={props.onReload}
        onCancel={toList}
        isReadOnly={isReadOnly}
        readOnlyReason={props.readOnlyReason}
        aside={
          <RolePreview
            state={preview}
            subject={values.role_reference.trim()}
            payload_types={isReadOnly ? undefined : values.payload_types}
          />
        }
      >
        <RoleFields form={form} labels={form.labels} isNew={stored === undefined} isReadOnly={isReadOnly} />
        <ExpertRules rules={values.permissions} errorAt={errorAt}>
          <RuleList
            rules={values.permissions}
            onChange={(permissions) => set({ permissions })}
            errorAt={errorAt}
            review={preview.review}
            offered={offered}
            isReadOnly={isReadOnly}
          />
        </ExpertRules>
      </FormPage>
      <ReviewQuestion form={form} subject={values.role_reference.trim()} />
    </>
  )
}
