import { SUPPORT_ACCESS_DAYS, type SupportAccess, type SupportAccessDecision } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { Input, Radio, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api/api.ts'
import { noticeDone } from '../../api/notices.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { ShortForm } from '../../ui/form/short-form.tsx'
import { useForm } from '../../ui/form/use-form.ts'
import { QueryResult } from '../../ui/query-result.tsx'
import { formatTime } from '../../ui/time-format.ts'
import { Consent } from './consent.tsx'
import { type ExpiryId, expiryChoices } from './expiry-choices.ts'
import { sessionQuery } from './session-query.ts'
import { getRequester } from './support-columns.tsx'

/** Approves, rejects or revokes. */
export function decide(request_reference: string, body: SupportAccessDecision): Promise<SupportAccess> {
  // One function for all decisions: the call type would need one each.
  const call = { params: { request_reference }, query: {}, body } as Parameters<
    typeof api.decideSupportAccess
  >[0]
  return api.decideSupportAccess(call)
}

const WORDS = {
  hour: msg`1 hour`,
  hours: msg`4 hours`,
  day: msg`1 day`,
  requested: msg`For the requested time`,
  longest: msg`Maximum, ${SUPPORT_ACCESS_DAYS} days`,
} as const satisfies Record<ExpiryId, unknown>

/** Approves a request for a duration, at most as requested and as the maximum allows. */
export function ApproveDialog({ request, onClose }: { request: SupportAccess; onClose: () => void }) {
  const { t, i18n } = useLingui()
  const { role } = request
  const requester = getRequester(request)
  const [choices] = useState(() => expiryChoices(request.requested_expiry, Math.floor(Date.now() / 1000)))
  const form = useForm<{ approval_expiry: number }, SupportAccess>({
    initial: { approval_expiry: choices[0]?.at ?? request.requested_expiry },
    save: ({ approval_expiry }) =>
      decide(request.request_reference, { approval_state: 'approved', approval_expiry }),
    onSaved: () => {
      noticeDone(t`Support access approved`)
      onClose()
    },
  })
  const { errorAt, failure, faults, set, values } = form
  const elsewhere = faults.some(({ path }) => path !== 'approval_expiry')
    ? errorAt('approval_state')
    : failure
  return (
    <Dialog onClose={onClose} title={t`Approve support access`}>
      <ShortForm form={{ ...form, failure: elsewhere }} save={<Trans>Approve</Trans>} onCancel={onClose}>
        <Text>
          <Trans>
            {requester} works with the role <strong>{role}</strong>. You can revoke it at any time.
          </Trans>
        </Text>
        <QueryResult query={useQuery(sessionQuery(request.request_reference))}>
          {(session) => <Consent session={session} until={values.approval_expiry} />}
        </QueryResult>
        {choices.length > 1 ? (
          <Radio.Group
            label={t`For how long`}
            value={String(values.approval_expiry)}
            onChange={(value) => set({ approval_expiry: Number(value) })}
            error={errorAt('approval_expiry')}
            withAsterisk={false}
          >
            <Stack gap="xs" mt="xs">
              {choices.map(({ id, at }, index) => (
                <Radio
                  key={id}
                  value={String(at)}
                  label={i18n._(WORDS[id])}
                  description={t`until ${formatTime(at, i18n.locale)}`}
                  data-autofocus={index === 0 || undefined}
                />
              ))}
            </Stack>
          </Radio.Group>
        ) : (
          <div>
            <Text fw={500} size="sm">
              <Trans>For how long</Trans>
            </Text>
            <Text>
              {choices.map(({ id }) => i18n._(WORDS[id]))},{' '}
              {t`until ${formatTime(values.approval_expiry, i18n.locale)}`}
            </Text>
            <Input.Error component="div">{errorAt('approval_expiry')}</Input.Error>
          </div>
        )}
      </ShortForm>
    </Dialog>
  )
}
