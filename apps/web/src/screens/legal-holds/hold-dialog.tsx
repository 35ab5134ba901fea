import { ApiProblem } from '@custodia/client'
import { type HoldTarget, type LegalHold, UserReference } from '@custodia/contract'
import { plural } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { Input, SegmentedControl, Text, TextInput } from '@mantine/core'
import { holdsApi } from '../../api/governance-api.ts'
import { noticeDone } from '../../api/notices.ts'
import { UserSelect } from '../../components/devices/user-select.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { shapeFaults } from '../../ui/form/faults.ts'
import { ShortForm } from '../../ui/form/short-form.tsx'
import { useForm } from '../../ui/form/use-form.ts'
import { Icon } from '../../ui/icon.tsx'
import { visible } from '../../ui/visible.ts'
import { heldPerson } from './hold.tsx'
import {
  MatterFields,
  type MatterDraft,
  matterFaults,
  getMatter,
  oneLine,
  getReason,
} from './matter-fields.tsx'

interface Draft extends MatterDraft {
  target_type: HoldTarget
  /** Reference of a device user, or sign-in name of a portal user. */
  target: string
}

/** A person whose page offers the hold. */
export interface HoldSubject {
  target_type: HoldTarget
  target: string
  /** The name on the page. */
  name: string
}

/**
 * Places a person on legal hold, for a matter or without one. Without `subject` it asks who: a device user, or a portal
 * user by name, who need not have signed in yet.
 */
export default function HoldDialog({ subject, onClose }: { subject?: HoldSubject; onClose: () => void }) {
  const { t } = useLingui()
  const form = useHoldForm(subject, onClose)
  const name = subject && visible(subject.name)
  return (
    <Dialog
      title={name === undefined ? t`Place on legal hold` : t`Place ${name} on legal hold`}
      onClose={onClose}
    >
      <ShortForm
        form={form}
        save={<Trans>Place on hold</Trans>}
        icon={<Icon name="lock" size={16} />}
        onCancel={onClose}
      >
        <Text size="sm">
          <Trans>Retention deletes none of their recordings until the hold is released.</Trans>
        </Text>
        {subject === undefined && <TargetFields form={form} />}
        <MatterFields form={form} isOptional isFirst={subject !== undefined} />
      </ShortForm>
    </Dialog>
  )
}

type HoldForm = ReturnType<typeof useHoldForm>

function useHoldForm(subject: HoldSubject | undefined, onClose: () => void) {
  const { t } = useLingui()
  return useForm<Draft, LegalHold>({
    initial: {
      target_type: subject?.target_type ?? 'DeviceUser',
      target: subject?.target ?? '',
      matter: '',
      reason: '',
    },
    labels: {
      target: t({ context: 'legal hold', message: 'Who' }),
      matter: t({ context: 'legal matter', message: 'Legal matter' }),
      reason: t`Reason`,
    },
    check: (draft) => [
      ...shapeFaults(UserReference, draft.target.trim(), 'target'),
      ...matterFaults(draft, { isOptional: true }),
    ],
    getField: { not_found: 'target', not_permitted: 'matter', wrong_state: 'matter' },
    save: (draft) => (oneLine(draft.matter) === '' ? holdAlone(draft) : holdForMatter(draft)),
    onSaved: (hold) => {
      const who = visible(heldPerson(hold))
      const count = hold.protected
      const matters = hold.matters.map(visible).join(', ')
      noticeDone(
        matters === ''
          ? t`${who} is on hold: ${plural(count, { one: '# recording protected', other: '# recordings protected' })}`
          : t`${who} is on hold for ${matters}: ${plural(count, { one: '# recording protected', other: '# recordings protected' })}`,
      )
      onClose()
    },
  })
}

const getParams = ({ target_type, target }: Draft) => ({ target_type, target: target.trim() })

const holdAlone = (draft: Draft): Promise<LegalHold> =>
  holdsApi.setLegalHold({
    params: getParams(draft),
    query: {},
    body: getReason(draft.reason),
  })

/** Adds the person to the matter, whose hold this is. */
async function holdForMatter(draft: Draft): Promise<LegalHold> {
  const params = getParams(draft)
  const matter_id = await getMatter(draft)
  const { data } = await holdsApi.holdMatterPeople({
    params: { matter_id },
    query: {},
    body: { people: [params] },
  })
  if (data.some(({ status }) => status === 'NoMatchingRecord' || status === 'ReservedName'))
    throw new ApiProblem(404, { code: 'not_found', message: 'no such person' })
  return await holdsApi.readLegalHold({ params, query: {} })
}

function TargetFields({ form: { errorAt, field, set, values } }: { form: HoldForm }) {
  const { t } = useLingui()
  return (
    <>
      <SegmentedControl
        fullWidth
        aria-label={t`Kind`}
        data={[
          { value: 'DeviceUser', label: t`Device user` },
          { value: 'PortalUser', label: t`Portal user` },
        ]}
        value={values.target_type}
        onChange={(next) => set({ target_type: next as HoldTarget, target: '' })}
      />
      {values.target_type === 'DeviceUser' ? (
        <div>
          <UserSelect
            label={t`Device user`}
            description={t`Protects their recordings, and those of phones that they held`}
            value={values.target === '' ? null : values.target}
            onChange={(reference) => set({ target: reference ?? '' })}
            none={t`Type a name`}
          />
          <Input.Error component="div" mt={5}>
            {errorAt('target')}
          </Input.Error>
        </div>
      ) : (
        <TextInput
          label={t`Portal user`}
          description={t`Sign-in name, often an email address. Protects recordings on which they commented, which they marked or whose receipt they confirmed`}
          {...field('target')}
          autoComplete="off"
          spellCheck={false}
          required
        />
      )}
    </>
  )
}
