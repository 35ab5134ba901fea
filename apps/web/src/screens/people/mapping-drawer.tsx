import { ClaimMapping, type StoredClaimMapping } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Alert, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { identityApi } from '../../api/access-api.ts'
import { callQuery } from '../../api/call-keys.ts'
import { noticeDoneOrProposed } from '../../api/governance-api.ts'
import { groupChoicesQuery, roleChoicesQuery } from '../../api/queries.ts'
import { useMay } from '../../api/use-profile.ts'
import { ReviewedDrawer, useReviewedForm } from '../../components/review/reviewed-form.tsx'
import { isSevere } from '../../components/review/use-review.ts'
import { getStored } from '../../ui/form/conflict.ts'
import { shapeFaults } from '../../ui/form/faults.ts'
import { Icon } from '../../ui/icon.tsx'
import { visible } from '../../ui/visible.ts'
import { ClaimPreview, PeopleChanged } from '../identity-providers/claim-preview.tsx'
import { MappingFields, useMappingWords } from '../identity-providers/mapping-fields.tsx'

const SIZE = 560

/** Claim mapping: roles and groups from the identity provider's claims. */
export default function MappingDrawer({ onClose }: { onClose: () => void }) {
  const { data, refetch } = useQuery({
    ...callQuery(identityApi, 'readClaimMapping'),
    // Read once: the mapping must not change during the edit.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  if (data === undefined) return null
  return <MappingForm key={data.version} stored={data} onClose={onClose} onReload={() => void refetch()} />
}

function MappingForm({
  stored,
  onClose,
  onReload,
}: {
  stored: StoredClaimMapping
  onClose: () => void
  onReload: () => void
}) {
  const { t } = useLingui()
  const may = useMay()
  const isReadOnly = !may('account.identity:update')
  const { data: roles = [] } = useQuery({ ...roleChoicesQuery, enabled: may('roles:list') })
  const { data: groups = [] } = useQuery({ ...groupChoicesQuery, enabled: may('groups:list') })
  const form = useReviewedForm({
    initial: stored.mapping,
    stored: getStored(
      stored,
      () => identityApi.readClaimMapping({ query: {} }),
      ({ mapping }) => mapping,
    ),
    ...useMappingWords(stored.mapping.roles_from === 'portal'),
    check: (mapping) => shapeFaults(ClaimMapping, mapping),
    review: may('account.identity:review')
      ? (mapping) => identityApi.reviewClaimMapping({ query: {}, body: mapping })
      : undefined,
    wantsWord: (review) => isSevere(review) || review.people !== null,
    save: (mapping, review, version) =>
      identityApi.saveClaimMapping(
        { query: review?.impact.locks_out ? { confirm_lockout: true } : {}, body: mapping },
        { if_match: version },
      ),
    onSaved: (answer) => {
      noticeDoneOrProposed(answer, t`Mapping saved. Open sessions follow within five minutes.`)
      onClose()
    },
  })
  const mapping = form.values
  return (
    <ReviewedDrawer
      title={t`Sign-in and claims`}
      form={form}
      onClose={onClose}
      onReload={onReload}
      isReadOnly={isReadOnly}
      size={SIZE}
      notice={form.found?.people && <PeopleChanged {...form.found.people} />}
    >
      {stored.is_embedded ? (
        <Alert color="orange" icon={<Icon name="warning" />}>
          <Trans>The embedded provider is for demonstration and evaluation only.</Trans>
        </Alert>
      ) : (
        <Text size="sm">
          <Trans>Sign-in provider</Trans> {visible(stored.issuer ?? '')}
        </Text>
      )}
      <MappingFields
        value={mapping}
        onChange={form.set}
        errorAt={form.errorAt}
        choices={{
          roles: roles.map(({ role_reference }) => role_reference),
          groups: groups.map(({ group_reference }) => group_reference),
        }}
        isReadOnly={isReadOnly}
      />
      <ClaimPreview
        mapping={mapping}
        action="account.identity:preview"
        ask={(body) => identityApi.previewClaims({ query: {}, body })}
      />
    </ReviewedDrawer>
  )
}
