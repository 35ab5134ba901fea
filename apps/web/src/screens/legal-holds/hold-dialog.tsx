import { HoldReason, type HoldTarget, type LegalHold, UserReference } from '@custodia/contract'
import { plural } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { Input, SegmentedControl, Text, TextInput } from '@mantine/core'
import { holdsApi } from '../../api/governance-api.ts'
import { noticeDone } from '../../api/notices.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { shapeFaults } from '../../ui/form/faults.ts'
import { ShortForm } from '../../ui/form/short-form.tsx'
import { useForm } from '../../ui/form/use-form.ts'
import { Icon } from '../../ui/icon.tsx'
import { visible } from '../../ui/visible.ts'
import { UserSelect } from '../../components/devices/user-select.tsx'

interface Draft {
  target_type: HoldTarget
  /** Reference of a device user, or sign-in name of a portal user. */
  target: string
  reason: string
}

const trimmed = ({ reason }: Draft) => reason.trim().replace(/\s+/g, ' ')

/** Places a device user on legal hold, or a portal user by name, who need not have signed in yet. */
export default function HoldDialog({ onClose }: { onClose: () => void }) {
  const { t } = useLingui()
  const form = useHoldForm(onClose)
  return (
    <Dialog title={t`Place on legal hold`} onClose={onClose}>
      <ShortForm
        form={form}
        save={<Trans>Place on hold</Trans>}
        icon={<Icon name="lock" size={16} />}
        onCancel={onClose}
      >
        <Text size="sm">
          <Trans>Retention deletes none of their recordings until the hold is released.</Trans>
        </Text>
        <TargetFields form={form} />
        <TextInput
          label={t`Reason`}
          description={t`Optional. Shown in the hold’s history, never logged`}
          {...form.field('reason')}
          maxLength={500}
          autoComplete="off"
        />
      </ShortForm>
    </Dialog>
  )
}

type HoldForm = ReturnType<typeof useHoldForm>

function useHoldForm(onClose: () => void) {
  const { t } = useLingui()
  return useForm<Draft, LegalHold>({
    initial: { target_type: 'DeviceUser', target: '', reason: '' },
    labels: { target: t({ context: 'legal hold', message: 'Who' }), reason: t`Reason` },
    check: (draft) => [
      ...shapeFaults(UserReference, draft.target.trim(), 'target'),
      ...(trimmed(draft) === '' ? [] : shapeFaults(HoldReason, trimmed(draft), 'reason')),
    ],
    fieldOf: { not_found: 'target' },
    save: (draft) =>
      holdsApi.setLegalHold({
        params: { target_type: draft.target_type, target: draft.target.trim() },
        query: {},
        body: trimmed(draft) === '' ? {} : { reason: trimmed(draft) },
      }),
    onSaved: (hold) => {
      const who = visible(hold.target)
      const count = hold.protected
      noticeDone(
        t`${who} is on hold: ${plural(count, { one: '# recording protected', other: '# recordings protected' })}`,
      )
      onClose()
    },
  })
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
